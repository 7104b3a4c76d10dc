package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/idempotency"
)

// A message is what a sender has the webhook do.
type message struct {
	step  int64
	value string
	fails bool
	hangs bool
}

// A sender is a guard whose resource is behind the webhook.
type sender struct {
	url    string
	client *http.Client
}

func (s sender) Claim(ctx context.Context, t fencing.Token) error {
	return s.send(ctx, t, message{}, false)
}

func (s sender) Write(ctx context.Context, t fencing.Token, m message) error {
	return s.send(ctx, t, m, false)
}

func (s sender) WriteOnce(ctx context.Context, t fencing.Token, m message) error {
	return s.send(ctx, t, m, true)
}

func (s sender) send(ctx context.Context, t fencing.Token, m message, once bool) error {
	k := idempotency.New("nightly", t, m.step)
	if err := k.Check(); err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, s.url, strings.NewReader(m.value))
	if err != nil {
		return err
	}
	k.Set(r.Header)
	for header, is := range map[string]bool{failHeader: m.fails, hangHeader: m.hangs, onceHeader: once} {
		if is {
			r.Header.Set(header, "yes")
		}
	}
	response, err := s.client.Do(r)
	if err != nil {
		return err
	}
	response.Body.Close()
	return refusal(response, t)
}

// refusal is what a webhook's answer says.
func refusal(response *http.Response, t fencing.Token) error {
	switch word := response.Header.Get(wordHeader); {
	case word == "stale":
		highest, err := fencing.Parse(response.Header.Get(highestHeader))
		return errors.Join(err, &fencing.StaleError{Token: t, Highest: highest})
	case word != "":
		return sentinels()[word]
	case response.StatusCode != http.StatusNoContent:
		return fmt.Errorf("it answers %s", response.Status)
	}
	return nil
}

// resource is a new one behind a webhook of a process.
func resource(t *testing.T, flaw string) *fencingtest.Resource[message] {
	p := startProcess(t, flaw)
	wire, err := fencingtest.NewWire(p.address)
	if err != nil {
		t.Fatal(err)
	}
	connections := &http.Transport{}
	t.Cleanup(func() { connections.CloseIdleConnections(); wire.Close() })
	// The header Idempotency-Key makes net/http send again what a kept connection lost.
	guard := sender{"http://" + wire.Address(), &http.Client{Transport: connections}}
	var tokens fencingtest.Tokens
	var steps atomic.Int64
	return &fencingtest.Resource[message]{
		Grant: func(context.Context) (fencingtest.Holder[message], error) {
			return fencingtest.Holder[message]{Guard: guard, Token: tokens.Next()}, nil
		},
		Set:   func(value string) message { return message{step: steps.Add(1), value: value} },
		Fail:  func(value string) message { return message{step: steps.Add(1), value: value, fails: true} },
		Value: p.value,
		Restart: func(context.Context) error {
			p.kill()
			connections.CloseIdleConnections()
			return p.start()
		},
		LoseReply: func(ctx context.Context, call func(context.Context) error) error {
			return wire.Lose(ctx, "PUT /", call)
		},
	}
}

// value is the resource's, read past the webhook.
func (p *process) value(context.Context) (string, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, "value"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// TestKilledWithinAnEffect holds that it is done again, and that its token counts.
func TestKilledWithinAnEffect(t *testing.T) {
	p := startProcess(t, "")
	guard := sender{"http://" + p.address, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	written := make(chan error, 1)
	go func() {
		written <- guard.Write(context.WithoutCancel(t.Context()), at(2), message{step: 1, value: "new", hangs: true})
	}()
	for value := ""; value != "new" && t.Context().Err() == nil; {
		value, _ = p.value(t.Context()) // until the effect is under way
	}
	p.kill()
	if err := <-written; err == nil {
		t.Error("an effect whose receiver was killed succeeds")
	}
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	if err := guard.Write(t.Context(), at(1), message{step: 1, value: "late"}); !errors.Is(err, fencing.ErrStale) {
		t.Errorf("the holder before: %v, want %v", err, fencing.ErrStale)
	}
	for i := range 2 {
		if err := guard.Write(t.Context(), at(2), message{step: 1, value: fmt.Sprint("again ", i)}); err != nil {
			t.Error(err)
		}
	}
	if value, err := p.value(t.Context()); err != nil || value != "again 0" {
		t.Errorf("the value is %q, %v, want that of the first one", value, err)
	}
}

func TestReceiver(t *testing.T) {
	fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[message] { return resource(t, "") })
}

// TestGuard runs the suite with a receiver in this process.
func TestGuard(t *testing.T) {
	for kind := range stores(t) {
		t.Run(kind, func(t *testing.T) {
			fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[idempotency.Effect] { return local(stores(t)[kind]) })
		})
	}
}

func local(store idempotency.Store) *fencingtest.Resource[idempotency.Effect] {
	guard := (&idempotency.Receiver{Store: store}).Guard("nightly")
	var tokens fencingtest.Tokens
	var steps atomic.Int64
	var now atomic.Value
	now.Store("")
	return &fencingtest.Resource[idempotency.Effect]{
		Grant: func(context.Context) (fencingtest.Holder[idempotency.Effect], error) {
			return fencingtest.Holder[idempotency.Effect]{Guard: guard, Token: tokens.Next()}, nil
		},
		Set: func(value string) idempotency.Effect {
			return idempotency.Effect{Step: steps.Add(1), Do: func(context.Context) error { now.Store(value); return nil }}
		},
		Fail: func(string) idempotency.Effect {
			return idempotency.Effect{Step: steps.Add(1), Do: func(context.Context) error { return errors.New("it fails as it was told to") }}
		},
		Value: func(context.Context) (string, error) { return now.Load().(string), nil },
	}
}

// TestBrokenReceivers holds that the suite finds what is wrong with them.
func TestBrokenReceivers(t *testing.T) {
	for flaw, want := range map[string]string{
		forgets:   "a watermark outlives a restart",
		unordered: "a late write after a claim is refused",
	} {
		t.Run(flaw, func(t *testing.T) {
			var found []string
			for _, c := range fencingtest.Cases[message]() {
				if c.Name == "writers that race" {
					continue // others tell as much, and faster
				}
				t.Run(c.Name, func(t *testing.T) {
					if err := c.Run(t.Context(), resource(t, flaw)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
						t.Log(err)
						found = append(found, c.Name)
					}
				})
			}
			if !slices.Contains(found, want) {
				t.Errorf("failed: %s; want also %q", strings.Join(found, ", "), want)
			}
		})
	}
}
