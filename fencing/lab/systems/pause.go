package systems

import (
	"context"
	"math/rand/v2"
	"time"
)

// A Pause is a random time between two bounds.
type Pause struct{ Min, Max time.Duration }

// Next draws one.
func (p Pause) Next() time.Duration {
	return p.Min + rand.N(p.Max-p.Min+1)
}

// poll tries until one try takes the name, with a pause after each that did not.
// The context ends only the pauses: the fate of a request that was given up
// would be unknown.
func (p Pause) poll(ctx context.Context, try func(ctx context.Context) (taken bool, err error)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		taken, err := try(context.WithoutCancel(ctx))
		if taken || err != nil {
			return err
		}
		select {
		case <-time.After(p.Next()):
		case <-ctx.Done():
		}
	}
}
