package idempotency

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"lockside/fencing"
)

// MaxLength is how long the text of a key is at most, which is what the strictest
// of widespread queues takes as a message's id.
const MaxLength = 128

// maxScope is what the longest token and step leave of it, with two colons.
const maxScope = MaxLength - len("9223372036854775807@ffffffffffffffff") - len("9223372036854775807") - 2

// digestLength is how long a digest is in the scope of a long name.
var digestLength = base64.RawURLEncoding.EncodedLen(sha256.Size)

// ErrKey is for what is no key.
var ErrKey = errors.New("not an idempotency key")

// A Key names one effect of one grant.
type Key struct {
	// Scope is the lock's name as keys have it: see [Scope].
	Scope string

	// Token is the grant's.
	Token fencing.Token

	// Step is the effect's number in the grant, from 1; 0 is the claim.
	Step int64
}

// New is the key of a step of a grant of a lock.
func New(name string, t fencing.Token, step int64) Key {
	return Key{Scope: Scope(name), Token: t, Step: step}
}

// Scope is a lock's name with other characters than letters, digits and - . _
// written as %XX. Of a name that is then too long it is the beginning, ~ and the
// digest.
func Scope(name string) string {
	var text strings.Builder
	for i := range len(name) {
		if c := name[i]; isPlain(c) {
			text.WriteByte(c)
		} else {
			fmt.Fprintf(&text, "%%%02X", c)
		}
	}
	if text.Len() <= maxScope {
		return text.String()
	}
	sum := sha256.Sum256([]byte(name))
	digest := "~" + base64.RawURLEncoding.EncodeToString(sum[:])
	return text.String()[:maxScope-len(digest)] + digest
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_'
}

// Check is nil for a key that a receiver may look at. The error is [ErrKey], and
// [fencing.ErrToken] too where it is the token.
func (k Key) Check() error {
	if !isScope(k.Scope) {
		return fmt.Errorf("%w: %.80q is no name in the form of keys", ErrKey, k.Scope)
	}
	if k.Step < 0 {
		return fmt.Errorf("%w: step %d is negative", ErrKey, k.Step)
	}
	if err := k.Token.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	return nil
}

// isScope reports whether a text is what Scope gives. Another spelling of a name
// would have another watermark.
func isScope(text string) bool {
	if _, digest, cut := strings.Cut(text, "~"); cut {
		return len(text) == maxScope && len(digest) == digestLength && !strings.ContainsFunc(text, isForeign)
	}
	name, err := url.PathUnescape(text)
	return err == nil && text != "" && Scope(name) == text
}

// isForeign tells what is in no scope.
func isForeign(r rune) bool { return r > 0x7f || !isPlain(byte(r)) && r != '%' && r != '~' }

// String is the key's text.
func (k Key) String() string {
	return k.Scope + ":" + k.Token.String() + ":" + strconv.FormatInt(k.Step, 10)
}

// Parse reads what [Key.String] gave. Its error is [ErrKey], and [fencing.ErrToken]
// or [fencing.ErrShared] too where it is the token.
func Parse(text string) (Key, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return Key{}, fmt.Errorf("%w: %.150q is not of three parts", ErrKey, text)
	}
	token, err := fencing.Parse(parts[1])
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrKey, err)
	}
	step, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || strconv.FormatInt(step, 10) != parts[2] {
		return Key{}, fmt.Errorf("%w: step %.40q is no number", ErrKey, parts[2])
	}
	k := Key{Scope: parts[0], Token: token, Step: step}
	if err := k.Check(); err != nil {
		return Key{}, err
	}
	return k, nil
}

// Header is the name of the header that has a key.
const Header = "Idempotency-Key"

// Set puts the key into a request's headers, in quotes.
func (k Key) Set(h http.Header) { h.Set(Header, `"`+k.String()+`"`) }

// FromHeader reads the key of a request, with its quotes or, as there are senders
// which know no RFC 9651, without. Its errors are those of [Parse].
func FromHeader(h http.Header) (Key, error) {
	values := h.Values(Header)
	if len(values) != 1 {
		return Key{}, fmt.Errorf("%w: %s is there %d times", ErrKey, Header, len(values))
	}
	text := values[0]
	if inner, found := strings.CutPrefix(text, `"`); found {
		if text, found = strings.CutSuffix(inner, `"`); !found {
			return Key{}, fmt.Errorf("%w: %s ends without a quote", ErrKey, Header)
		}
	}
	return Parse(text)
}
