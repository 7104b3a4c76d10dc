package httpguard

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"

	"lockside/fencing"
)

// maxBody is how long a body may be where a Guard does not tell.
const maxBody = 1 << 20

// A Guard keeps the watermarks of resources whose handlers have no transaction to
// do it in, and lets one write at a time reach each of them.
type Guard struct {
	// Store keeps the watermarks.
	Store Store

	// Name is the resource that a request is for. Its error is
	// [fencing.ErrUnknown] where there is none.
	Name func(*http.Request) (string, error)

	// MaxBody is how many bytes a write may have, which are held in memory; 0 is
	// 1 MiB. More are answered 413.
	MaxBody int64
}

// Handler guards a handler. Claims are answered by the guard, and safe methods
// pass. Writes reach the handler one at a time for each resource, with [Ask] in
// their context.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return Require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isSafe(r.Method) {
			next.ServeHTTP(w, r)
			return
		}
		answer, err := g.serve(w, r, next)
		if err != nil {
			Refuse(w, err)
			return
		}
		answer.send(w)
	}))
}

// serve does what a request asks for, and returns the answer that is to be sent
// once the resource is let go.
func (g *Guard) serve(w http.ResponseWriter, r *http.Request, next http.Handler) (*answer, error) {
	name, err := g.Name(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, cmp.Or(g.MaxBody, maxBody)))
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	ask, _ := FromContext(r.Context())
	held, err := g.Store.Hold(r.Context(), name)
	if err != nil {
		return nil, err
	}
	defer held.Release()
	return ask.serve(r, held, next)
}

// serve is where a token is compared and stored, and the write done.
func (ask Ask) serve(r *http.Request, held Held, next http.Handler) (*answer, error) {
	// A mark that is half saved as the client leaves would be of no use.
	ctx := context.WithoutCancel(r.Context())
	mark, err := held.Mark().admit(ask)
	if err != nil {
		return nil, err
	}
	if mark != held.Mark() {
		if err := held.Save(ctx, mark); err != nil {
			return nil, err
		}
	}
	answer := newAnswer()
	if ask.Claim {
		answer.WriteHeader(http.StatusNoContent)
		return answer, nil
	}
	next.ServeHTTP(answer, r)
	if ask.Once && answer.status < http.StatusBadRequest {
		done := Mark{fencing.Watermark{Highest: ask.Token}, false}
		return answer, held.Save(ctx, done)
	}
	return answer, nil
}
