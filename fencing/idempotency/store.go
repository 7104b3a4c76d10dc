package idempotency

import (
	"context"
	"encoding/json"
	"fmt"

	"lockside/fencing/internal/durable"
)

// A Store keeps states by scope.
type Store interface {
	// Update gives do the state of a scope, and keeps what do returns, unless that
	// is an error, which is Update's too. Updates of one scope are done one after
	// the other. A store over a database does it in a transaction, which do finds
	// in the context that it is given.
	Update(ctx context.Context, scope string, do func(ctx context.Context, s State) (State, error)) error
}

// Files is a store in a directory, which it makes, for all processes of a host. A
// state is on the disk when Update returns, in a file of JSON that is named after
// the scope.
func Files(dir string) (Store, error) {
	files, err := durable.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open the receiver's store: %w", err)
	}
	return store(files.Hold), nil
}

// Memory is a store for tests: it forgets when the process ends.
func Memory() Store { return store(new(durable.Memory).Hold) }

// A store keeps states as text.
type store func(ctx context.Context, name string) (*durable.Held, error)

func (hold store) Update(ctx context.Context, scope string, do func(context.Context, State) (State, error)) error {
	held, err := hold(ctx, scope)
	if err != nil {
		return err
	}
	defer held.Release()
	var now State
	if held.Data != nil {
		if err := json.Unmarshal(held.Data, &now); err != nil { // it is not the caller's token that is wrong
			return fmt.Errorf("read the state of %s: %v", scope, err)
		}
	}
	next, err := do(ctx, now)
	if err != nil || next.equal(now) {
		return err
	}
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	return held.Save(append(text, '\n'))
}
