package httpguard

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"lockside/fencing"
)

// The headers. Those of true and false hold ?1 or ?0.
const (
	FenceHeader = "Lockside-Fence"
	ClaimHeader = "Lockside-Claim"
	OnceHeader  = "Lockside-Once"
)

// An Ask is what a request asks a guard for: a claim, a write or a write once.
type Ask struct {
	Token fencing.Token
	Claim bool
	Once  bool
}

// askKey is the context's key of an Ask.
type askKey struct{}

// WithToken is a context whose requests a [Transport] sends with a token.
func WithToken(ctx context.Context, t fencing.Token) context.Context {
	return withAsk(ctx, Ask{Token: t})
}

func withAsk(ctx context.Context, ask Ask) context.Context {
	return context.WithValue(ctx, askKey{}, ask)
}

// FromContext is what the request asks for whose context this is, behind [Require]
// or a [Guard]; and the token of [WithToken]. What a handler sends through a
// Transport with its request's context has the request's token.
func FromContext(ctx context.Context) (Ask, bool) {
	ask, ok := ctx.Value(askKey{}).(Ask)
	return ask, ok
}

// Do has a guard do what the request asks for whose context this is. Without a
// token the error is [ErrMissing].
func Do[W any](ctx context.Context, guard fencing.Guard[W], w W) error {
	ask, ok := FromContext(ctx)
	switch {
	case !ok:
		return ErrMissing
	case ask.Claim:
		return guard.Claim(ctx, ask.Token)
	case ask.Once:
		return guard.WriteOnce(ctx, ask.Token, w)
	}
	return guard.Write(ctx, ask.Token, w)
}

// isSafe tells the methods that change nothing: RFC 9110, section 9.2.1, and QUERY.
func isSafe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, "QUERY":
		return true
	}
	return false
}

// errAsk is for headers that contradict one another, or the method.
var errAsk = errors.New("the request cannot be understood")

// readAsk reads a request's headers. Its errors are [ErrMissing],
// [fencing.ErrToken] and errAsk.
func readAsk(r *http.Request) (Ask, error) {
	var ask Ask
	fence := r.Header.Values(FenceHeader)
	switch {
	case len(fence) == 0:
		return ask, ErrMissing
	case len(fence) > 1:
		return ask, fmt.Errorf("%w: %s is there %d times", fencing.ErrToken, FenceHeader, len(fence))
	}
	var err error
	if ask.Token, err = fencing.Parse(fence[0]); err != nil {
		return ask, err
	}
	if ask.Claim, err = readFlag(r, ClaimHeader); err != nil {
		return ask, err
	}
	if ask.Once, err = readFlag(r, OnceHeader); err != nil {
		return ask, err
	}
	switch {
	case ask.Claim && (ask.Once || r.Method != http.MethodPost):
		return ask, fmt.Errorf("%w: a claim is a POST, and no write", errAsk)
	case ask.Once && isSafe(r.Method):
		return ask, fmt.Errorf("%w: %s is no write", errAsk, r.Method)
	}
	return ask, nil
}

// readFlag reads true or false as RFC 9651 writes them, false where it is not there.
func readFlag(r *http.Request, header string) (bool, error) {
	switch values := r.Header.Values(header); {
	case len(values) == 0, len(values) == 1 && values[0] == "?0":
		return false, nil
	case len(values) == 1 && values[0] == "?1":
		return true, nil
	}
	return false, fmt.Errorf("%w: %s is neither ?1 nor ?0", errAsk, header)
}
