package ipc

// An option is one key of key=value in a request, or a set of them.
type option uint8

const (
	optVersion option = 1 << iota
	optOwner
	optEvents
	optWait
	optTTL
	optFence
	optScope
	optLowerFences
)

// parseOption finds the option of a key. Keys are in lower case and hold no
// escapes.
func parseOption(key []byte) (option, bool) {
	switch string(key) {
	case "version":
		return optVersion, true
	case "owner":
		return optOwner, true
	case "events":
		return optEvents, true
	case "wait":
		return optWait, true
	case "ttl":
		return optTTL, true
	case "fence":
		return optFence, true
	case "scope":
		return optScope, true
	case "lower-fences":
		return optLowerFences, true
	}
	return 0, false
}

// Scope is whose locks LIST shows.
type Scope uint8

// The scopes of LIST.
const (
	ScopeSession Scope = iota // this session's
	ScopeHost                 // every session's of this daemon
	ScopeCluster              // every entry's below the prefix in etcd
)

// Scopes lists the scopes, from the narrowest to the widest.
func Scopes() []Scope { return []Scope{ScopeSession, ScopeHost, ScopeCluster} }

// String is the value of scope=.
func (s Scope) String() string {
	switch s {
	case ScopeSession:
		return "session"
	case ScopeHost:
		return "host"
	case ScopeCluster:
		return "cluster"
	}
	return "unknown scope"
}

// Events is which events a session asks for with HELLO. LOST comes whatever
// it says.
type Events uint8

// The values of events=. Version 1 has no event but LOST, so the two mean the
// same; later values will add to what comes.
const (
	EventsNone Events = iota
	EventsLost
)

// String is the value of events=.
func (e Events) String() string {
	switch e {
	case EventsNone:
		return "none"
	case EventsLost:
		return "lost"
	}
	return "unknown events"
}
