package ipc

import (
	"strconv"
	"time"
)

// A Request is one line of a client, taken apart. Its zero value is ready for
// [Request.Parse], and one Request serves line after line.
type Request struct {
	Verb Verb

	// Names are unescaped, in the order given, and no two are equal.
	Names []string

	// Wait is how long LOCK may wait: [WaitForever] when the line does not
	// say, and 0 to try.
	Wait time.Duration

	// TTL is what LOCK asks for, in whole seconds, and 0 when it does not.
	TTL time.Duration

	// Owner is the client's own word about itself, for WHO to show.
	Owner string

	// Fence guards an UNLOCK; 0 when absent.
	Fence int64

	// Verify makes CHECK ask etcd as well.
	Verify bool

	// Raise makes ACCEPT-RESTORE write to etcd until its revision is high enough.
	Raise bool

	// LowerFences lets ACCEPT-RESTORE begin again below this fence; 0 when absent.
	LowerFences int64

	// Version is the protocol version that HELLO asks for; 0 when absent.
	Version int

	// Events is what HELLO asks for.
	Events Events

	// Scope is whose locks LIST shows.
	Scope Scope

	// Glob is which names LIST shows, as [MatchGlob] reads it.
	Glob string

	// Topic is the verb that HELP is asked about, in upper case; "" for all.
	Topic string
}

// allNames is the glob of a LIST without one.
const allNames = "*"

// reset forgets the request before, but keeps the memory of its names.
func (r *Request) reset() {
	clear(r.Names)
	*r = Request{Names: r.Names[:0], Wait: WaitForever, Glob: allNames}
}

// Append writes the request as a line, its LF included, that [Request.Parse]
// reads back as the same request. It does not check what it writes: a line
// that breaks a rule is refused by the daemon.
func (r *Request) Append(dst []byte) []byte {
	dst = append(dst, r.Verb.String()...)
	for _, name := range r.Names {
		dst = appendWord(append(dst, ' '), name)
	}
	dst = r.appendOptions(dst)
	if r.Verify {
		dst = append(dst, " verify"...)
	}
	if r.Raise {
		dst = append(dst, " raise"...)
	}
	if r.Verb == VerbList && r.Glob != "" && r.Glob != allNames {
		dst = appendWord(append(dst, ' '), r.Glob)
	}
	if r.Topic != "" {
		dst = append(append(dst, ' '), r.Topic...)
	}
	return append(dst, '\n')
}

// appendOptions writes the options that the verb has and that are not at
// their defaults.
func (r *Request) appendOptions(dst []byte) []byte {
	has := r.Verb.shape().options
	if has&optWait != 0 && r.Wait >= 0 {
		dst = appendExact(append(dst, " wait="...), r.Wait)
	}
	if has&optTTL != 0 && r.TTL != 0 {
		dst = appendExact(append(dst, " ttl="...), r.TTL)
	}
	if has&optFence != 0 && r.Fence > 0 {
		dst = strconv.AppendInt(append(dst, " fence="...), r.Fence, 10)
	}
	if has&optVersion != 0 && r.Version > 0 {
		dst = strconv.AppendInt(append(dst, " version="...), int64(r.Version), 10)
	}
	if has&optOwner != 0 && r.Owner != "" {
		dst = appendValue(append(dst, " owner="...), r.Owner)
	}
	if has&optEvents != 0 && r.Events != EventsNone {
		dst = append(append(dst, " events="...), r.Events.String()...)
	}
	if has&optScope != 0 && r.Scope != ScopeSession {
		dst = append(append(dst, " scope="...), r.Scope.String()...)
	}
	if has&optLowerFences != 0 && r.LowerFences > 0 {
		dst = strconv.AppendInt(append(dst, " lower-fences="...), r.LowerFences, 10)
	}
	return dst
}

// appendWord writes a name, in which '=' is escaped as well, for a word with
// '=' is an option.
func appendWord(dst []byte, name string) []byte {
	return appendEscaped(dst, name, '=')
}
