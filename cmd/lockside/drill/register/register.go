package register

import (
	"context"
	"fmt"
	"net/url"

	"lockside/fencing"
)

// A Register is one text at a resource. The errors of Claim and Write are those of
// a [fencing.Guard], or the resource's own.
type Register interface {
	// Make makes the text, and Remove removes it or puts back what was there
	// before. The token is the last that has claimed, or none.
	Make(ctx context.Context, value string) error
	Remove(ctx context.Context, t fencing.Token) error

	// Claim raises the watermark to the token.
	Claim(ctx context.Context, t fencing.Token) error

	// Read is the text.
	Read(ctx context.Context) (string, error)

	// Write replaces the text, if the token is no lower than the watermark. The
	// zero token is for a write that nobody checks.
	Write(ctx context.Context, t fencing.Token, value string) error

	// Place is where the text is, and Recipe is what is sent there.
	Place() string
	Recipe() string
}

// A Spec says which register it is.
type Spec struct {
	URL  string // of the resource
	Name string // of what is made there: a table or a key
}

// Open is the register of a Spec. Nothing is sent yet. The error says which URLs
// there are.
func Open(s Spec) (Register, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("read the resource's URL: %w", withoutURL(err))
	}
	switch u.Scheme {
	case "unix":
		return &reference{path: u.Path}, nil
	case "postgres", "postgresql":
		return newPostgres(u, s.Name), nil
	case "redis", "rediss":
		return newRedis(u, s.Name), nil
	case "http", "https":
		return &web{url: u}, nil
	}
	return nil, fmt.Errorf("resource %.60q: give postgres://, redis://, rediss://, http:// or https://", u.Redacted())
}

// IsWeb reports whether a URL is that of a web server, which keeps what it has
// seen when the drill is over.
func IsWeb(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// withoutURL leaves the URL out of an error, since it may have a password in it.
func withoutURL(err error) error {
	if wrong, ok := err.(*url.Error); ok {
		return wrong.Err
	}
	return err
}

// withoutPassword takes the password out of a URL, since a command line can be
// seen by everybody.
func withoutPassword(u *url.URL) (bare *url.URL, user, password string) {
	if u.User == nil {
		return u, "", ""
	}
	user = u.User.Username()
	password, _ = u.User.Password()
	copied := *u
	copied.User = nil
	if user != "" {
		copied.User = url.User(user)
	}
	return &copied, user, password
}

// refusal is why a resource whose watermark is seen did not take a token.
func refusal(t, seen fencing.Token) error {
	if _, err := (fencing.Watermark{Highest: seen}).Admit(t); err != nil {
		return err
	}
	return fmt.Errorf("%w: what the drill made is gone", fencing.ErrUnknown)
}

// tokenOf is a token of two columns.
func tokenOf(fence, cluster string) (fencing.Token, error) {
	var t fencing.Token
	if err := t.Scan(fence); err != nil {
		return t, err
	}
	return t, t.Cluster.Scan(cluster)
}
