package httpguard

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"lockside/fencing"
)

// A Client is the guard of a resource that a server keeps, with requests as its
// writes. It follows no redirects.
type Client struct {
	// URL is that of the resource, where claims go.
	URL string

	// HTTP does the requests; nil is http.DefaultClient.
	HTTP *http.Client
}

var _ fencing.Guard[*http.Request] = (*Client)(nil)

// Claim implements [fencing.Guard]. Beyond its errors there are [ErrUnguarded] and
// [*AnswerError].
func (c *Client) Claim(ctx context.Context, t fencing.Token) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, nil)
	if err != nil {
		return fmt.Errorf("make a claim: %w", err)
	}
	return c.do(ctx, Ask{Token: t, Claim: true}, r)
}

// Write implements [fencing.Guard]. It is an error to write with a safe method,
// which no server guards. Beyond Claim's errors there is [ErrUnfinished], which
// says that the write may have been done.
func (c *Client) Write(ctx context.Context, t fencing.Token, r *http.Request) error {
	return c.do(ctx, Ask{Token: t}, r)
}

// WriteOnce implements [fencing.Guard]. Its errors are those of Write.
func (c *Client) WriteOnce(ctx context.Context, t fencing.Token, r *http.Request) error {
	return c.do(ctx, Ask{Token: t, Once: true}, r)
}

func (c *Client) do(ctx context.Context, ask Ask, r *http.Request) error {
	if isSafe(r.Method) || r.Method == "" {
		return fmt.Errorf("%w: no server guards the method %q", errAsk, r.Method)
	}
	response, err := c.client().Do(r.Clone(withAsk(ctx, ask)))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	success := response.StatusCode/100 == 2 || response.StatusCode == http.StatusSeeOther && !ask.Claim
	switch {
	case !success:
		return &AnswerError{Status: response.StatusCode, Body: string(body)}
	case err != nil:
		return fmt.Errorf("read the answer: %w", err)
	case response.Header.Get(FenceHeader) != ask.Token.String():
		return ErrUnguarded
	}
	return nil
}

// client is HTTP with a Transport.
func (c *Client) client() *http.Client {
	client := http.Client{}
	if c.HTTP != nil {
		client = *c.HTTP
	}
	client.Transport = &Transport{Base: client.Transport}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}
