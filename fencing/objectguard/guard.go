package objectguard

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"lockside/fencing"
)

const (
	// tries bounds how often an object that others write is read again.
	tries = 20

	// firstPause is the longest pause after the first try. It doubles, up to
	// lastPause.
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// A Guard keeps the watermark of one object in its first line. It is a
// [fencing.Guard] of a body, which is all that comes behind that line. The object
// comes into being with the first call; a claim makes it with an empty body.
type Guard struct {
	store Store
	key   string
}

var _ fencing.Guard[[]byte] = (*Guard)(nil)

// New is the guard of an object. Use [Probe] once to see whether the store can be
// trusted.
func New(store Store, key string) *Guard { return &Guard{store: store, key: key} }

// Read returns the body, and the greatest token that the object has seen. Both are
// zero where there is no object. What a holder reads after it has claimed stays so
// until it writes.
func (g *Guard) Read(ctx context.Context) (body []byte, seen fencing.Token, err error) {
	now, _, err := g.get(ctx)
	if err != nil {
		return nil, seen, fmt.Errorf("read %s: %w", g.key, err)
	}
	return now.body, now.seen, nil
}

// Claim raises the watermark to the token. It reads the object and writes it as it
// was, but for its first line.
func (g *Guard) Claim(ctx context.Context, t fencing.Token) error {
	return g.change(ctx, t, fencing.Watermark.Admit, func(now record) []byte { return now.body })
}

// Write replaces the body if the token is no lower than the watermark.
func (g *Guard) Write(ctx context.Context, t fencing.Token, body []byte) error {
	return g.change(ctx, t, fencing.Watermark.Admit, func(record) []byte { return body })
}

// WriteOnce is Write for a token that is greater than the watermark.
func (g *Guard) WriteOnce(ctx context.Context, t fencing.Token, body []byte) error {
	return g.change(ctx, t, fencing.Watermark.AdmitOnce, func(record) []byte { return body })
}

// admit is the rule of a call.
type admit func(fencing.Watermark, fencing.Token) (fencing.Watermark, error)

// change reads the object, and replaces it if it is still the one that was read,
// until that is so or the token is refused.
func (g *Guard) change(ctx context.Context, t fencing.Token, admit admit, body func(record) []byte) error {
	if err := t.Check(); err != nil {
		return err
	}
	id := newID()
	for try := range tries {
		now, etag, err := g.get(ctx)
		if err != nil {
			return fmt.Errorf("write %s: %w", g.key, err)
		}
		if _, err := admit(fencing.Watermark{Highest: now.seen}, t); err != nil {
			return err
		}
		put := g.store.Put(ctx, g.key, now.next(t, id, body(now)).encode(), etag)
		if put == nil {
			return nil
		}
		if done, err := g.done(ctx, id, now, put); done || err != nil {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return fmt.Errorf("write %s: %w", g.key, err)
		}
	}
	return fmt.Errorf("write %s: gave up after %d tries, since others write it at the same time", g.key, tries)
}

// done finds out, in what the object knows of its last writes, what has become of a
// Put that was to follow a record and was answered by an error. Even a refused one
// may have been done: the client has sent it twice. When it was refused, and was not
// done, there is no error.
func (g *Guard) done(ctx context.Context, id string, before record, put error) (bool, error) {
	now, _, err := g.get(ctx)
	switch refused := errors.Is(put, ErrChanged); {
	case err == nil && now.has(id):
		return true, nil
	case !refused:
		return false, fmt.Errorf("write %s: %w", g.key, put)
	case err != nil:
		return false, fmt.Errorf("write %s: see whether it was done: %w", g.key, err)
	case !now.follows(before.newest()):
		return false, fmt.Errorf("write %s: whether it was done is not known, since the object has been deleted or written %d times meanwhile", g.key, known)
	}
	return false, nil
}

// get is the object as it is now, the zero record and no ETag where it is absent.
func (g *Guard) get(ctx context.Context) (record, string, error) {
	object, etag, err := g.store.Get(ctx, g.key)
	switch {
	case errors.Is(err, ErrAbsent):
		return record{}, "", nil
	case err != nil:
		return record{}, "", err
	case etag == "":
		return record{}, "", errors.New("the store gives no ETag")
	}
	now, err := parse(object)
	return now, etag, err
}

// pause waits after a try, at random, so that those who were in each other's way are
// not again.
func pause(ctx context.Context, try int) error {
	timer := time.NewTimer(rand.N(min(firstPause<<try, lastPause)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
