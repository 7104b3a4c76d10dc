package drill

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"lockside/fencing"
	"lockside/ipc"
)

// What the text is in the beginning, and those who add their name to it.
const (
	beginning  = "start"
	firstName  = "first"
	secondName = "second"
	drillName  = "drill"
)

// play tells the story from its beginning to its verdict.
func (d *drill) play(ctx context.Context) (*Result, error) {
	first, read, err := d.begin(ctx)
	if err != nil {
		return nil, err
	}
	second, err := d.replace(ctx, first)
	if err != nil {
		return nil, err
	}
	want, err := d.overtake(ctx, second)
	if refused, ok := errors.AsType[*failure](err); ok && d.Unfenced && refused.Nothing {
		d.tell(secondName, "writes: not done")
		return d.end(ctx, first, second, refused, want)
	}
	if err != nil {
		return nil, err
	}
	late, err := d.awake(ctx, first, added(read, firstName))
	if err != nil {
		return nil, err
	}
	return d.end(ctx, first, second, late, want)
}

// end looks at the text, and says what has been shown.
func (d *drill) end(ctx context.Context, first, second *holder, late *failure, want string) (*Result, error) {
	var value string
	err := d.bounded(ctx, func(ctx context.Context) (err error) {
		value, err = d.register.Read(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the resource: %w", err)
	}
	d.tell(drillName, "reads %s", quoted(value))
	if _, err := second.do(ctx, order{Do: doUnlock}); err != nil {
		return nil, err
	}
	verdict, sentence := judge(!d.Unfenced, late, value, want)
	return &Result{
		Verdict: verdict, Shown: verdict == Refused || verdict == Lost, Sentence: sentence,
		Lock: d.Name, Resource: d.register.Place(), Fenced: !d.Unfenced,
		First: first.token, Second: second.token, Value: value, Steps: d.steps,
	}, nil
}

// begin has the first holder come to where it would write, having looked at its
// lock, and then stops it.
func (d *drill) begin(ctx context.Context) (first *holder, read string, err error) {
	socket, _ := d.site.sockets()
	if first, err = d.enter(ctx, firstName, socket); err != nil {
		return nil, "", err
	}
	if _, err := first.do(ctx, order{Do: doLock, Name: d.Name}); err != nil {
		return nil, "", err
	}
	d.tell(firstName, "takes the lock: fence %d", first.token.Fence)
	if read, err = d.look(ctx, first); err != nil {
		return nil, "", err
	}
	d.tell(firstName, "%s %s", d.claims("reads"), quoted(read))
	checked, err := first.do(ctx, order{Do: doCheck})
	if err != nil {
		return nil, "", err
	}
	d.tell(firstName, "looks at its lock: safe for %s", checked.Left.Truncate(time.Second/10))
	done, err := d.site.pause(first)
	if err == nil {
		d.tell(firstName, "%s", done)
	}
	return first, read, err
}

// replace has the second holder take the lock.
func (d *drill) replace(ctx context.Context, first *holder) (*holder, error) {
	_, socket := d.site.sockets()
	second, err := d.enter(ctx, secondName, socket)
	if err != nil {
		return nil, err
	}
	_, err = second.do(ctx, order{Do: doLock, Name: d.Name})
	if !errors.Is(err, ipc.ErrBusy) {
		return nil, errors.Join(fmt.Errorf("%s was granted while the first held it", d.Name), err)
	}
	d.tell(secondName, "asks for the lock: busy, since %s", d.site.why())
	done, within, err := d.site.pass(first)
	if err != nil {
		return nil, err
	}
	if done != "" {
		d.tell(drillName, "%s", done)
	}
	if _, err := second.do(ctx, order{Do: doLock, Name: d.Name, Wait: within}); err != nil {
		return nil, err
	}
	d.tell(secondName, "takes the lock: fence %d", second.token.Fence)
	return second, nil
}

// overtake has the second holder do its work, and returns the text that is to stay.
func (d *drill) overtake(ctx context.Context, second *holder) (string, error) {
	read, err := d.look(ctx, second)
	if err != nil {
		return "", err
	}
	want := added(read, secondName)
	_, err = second.do(ctx, d.write(want))
	if refused, ok := errors.AsType[*failure](err); !ok || !refused.Nothing {
		d.written = true
	}
	if err != nil {
		return "", fmt.Errorf("the second holder's write: %w", err)
	}
	d.tell(secondName, "%s %s, writes %s", d.claims("reads"), quoted(read), quoted(want))
	return want, nil
}

// awake has the first holder go on with its write, and then see what has happened.
func (d *drill) awake(ctx context.Context, first *holder, value string) (*failure, error) {
	if err := first.tell(d.write(value)); err != nil {
		return nil, err
	}
	if err := d.site.wake(first); err != nil {
		return nil, err
	}
	_, err := first.hear(ctx)
	stale, answered := errors.AsType[*failure](err)
	if err != nil && (!answered || !stale.Stale && !stale.Answer) {
		return nil, fmt.Errorf("the first holder's write: %w", err)
	}
	d.tell(firstName, "goes on, and writes %s: %s", quoted(value), outcome(stale))
	lost, err := first.do(ctx, order{Do: doLose})
	if err != nil {
		return nil, err
	}
	d.tell(firstName, "looks at its lock: %s", lost.Cause)
	return stale, nil
}

// enter starts a holder, which clean ends.
func (d *drill) enter(ctx context.Context, name, socket string) (*holder, error) {
	h, err := enter(ctx, name, d.Self, d.Log, socket, d.spec)
	if err == nil {
		d.holders = append(d.holders, h)
	}
	return h, err
}

// look has a holder claim, and read what it is going to change.
func (d *drill) look(ctx context.Context, h *holder) (string, error) {
	if !d.Unfenced {
		if _, err := h.do(ctx, order{Do: doClaim}); err != nil {
			return "", fmt.Errorf("the %s holder's claim: %w", h.name, err)
		}
		d.last = h.token
	}
	got, err := h.do(ctx, order{Do: doRead})
	return got.Value, err
}

// claims begins a sentence about it.
func (d *drill) claims(reads string) string {
	if d.Unfenced {
		return reads
	}
	return "claims with its fence, " + reads
}

func (d *drill) write(value string) order {
	return order{Do: doWrite, Fenced: !d.Unfenced, Value: value}
}

// outcome is what became of the late write, in words.
func outcome(stale *failure) string {
	switch {
	case stale == nil:
		return "done"
	case stale.Stale && stale.Highest != fencing.Token{}:
		return fmt.Sprintf("refused, fence %d has been seen", stale.Highest.Fence)
	case stale.Stale:
		return "refused as stale"
	}
	return "not done"
}

// added is a text with one more name.
func added(text, name string) string { return strings.TrimSpace(text + " " + name) }

// quoted shows a text that may be anybody's.
func quoted(text string) string { return fmt.Sprintf("%.60q", text) }
