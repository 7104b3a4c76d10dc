package httpguard

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"lockside/fencing"
)

// A Transport sends requests with the token of their context ([WithToken]), or
// else with its own, and turns refusals into the errors of package fencing, which
// are found with errors.Is in what an http.Client returns. Other answers it leaves
// as they are.
//
// After a redirect to another origin (scheme, host or port) a safe request goes
// without the token, and one that writes ends with [ErrRedirected].
type Transport struct {
	// Base does the requests; nil is http.DefaultTransport.
	Base http.RoundTripper

	// Token is for requests whose context has none. The zero Token is none: such
	// requests go as they are.
	Token fencing.Token
}

// RoundTrip is that of http.RoundTripper, but for refusals: they are errors.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ask, ok := FromContext(r.Context())
	if !ok {
		ask.Token = t.Token
	}
	if !ok && t.Token.IsZero() {
		return t.base().RoundTrip(r)
	}
	sent, err := ask.on(r)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as a RoundTripper has to
		}
		return nil, err
	}
	response, err := t.base().RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	return judged(response, ask.Token)
}

func (t *Transport) base() http.RoundTripper {
	if t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}

// on is the request with the headers, or without them where it has come to
// another origin.
func (ask Ask) on(r *http.Request) (*http.Request, error) {
	if err := ask.Token.Check(); err != nil {
		return nil, err
	}
	sent := r.Clone(r.Context())
	for _, header := range []string{FenceHeader, ClaimHeader, OnceHeader} {
		sent.Header.Del(header)
	}
	if isElsewhere(r) {
		if !isSafe(r.Method) {
			return nil, fmt.Errorf("%w: %s://%s", ErrRedirected, r.URL.Scheme, r.URL.Host)
		}
		return sent, nil
	}
	sent.Header.Set(FenceHeader, ask.Token.String())
	if ask.Claim {
		sent.Header.Set(ClaimHeader, "?1")
	}
	if ask.Once {
		sent.Header.Set(OnceHeader, "?1")
	}
	return sent, nil
}

// isElsewhere reports whether redirects have led a request away from where it was
// sent first, be it that they have led it back since.
func isElsewhere(r *http.Request) bool {
	for one := r; one.Response != nil && one.Response.Request != nil; {
		one = one.Response.Request
		if one.URL.Scheme != r.URL.Scheme || !strings.EqualFold(one.URL.Host, r.URL.Host) {
			return true
		}
	}
	return false
}

// longestProblem is how much of a body is read to see whether it is a refusal.
const longestProblem = 16 << 10

// judged is the answer, whole; or the refusal that it is.
func judged(response *http.Response, sent fencing.Token) (*http.Response, error) {
	if response.StatusCode < http.StatusBadRequest || response.StatusCode >= http.StatusInternalServerError {
		return response, nil
	}
	head, err := io.ReadAll(io.LimitReader(response.Body, longestProblem))
	if err == nil {
		err = readProblem(response.StatusCode, response.Header.Get("Content-Type"), head, sent)
	}
	if err != nil {
		_ = response.Body.Close() // what matters of it has been read
		return nil, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), response.Body), response.Body}
	return response, nil
}
