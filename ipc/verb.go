package ipc

import "bytes"

// A Verb is the first word of a request. The zero Verb is none.
type Verb uint8

// The verbs of version 1.
const (
	VerbHello Verb = iota + 1
	VerbLock
	VerbUnlock
	VerbCheck
	VerbWho
	VerbList
	VerbStatus
	VerbPing
	VerbHelp
	VerbQuit
	VerbCancel
	VerbAcceptRestore
)

// Verbs lists the verbs, in the order in which HELP and PROTOCOL.md have them.
func Verbs() []Verb {
	return []Verb{
		VerbHello, VerbLock, VerbUnlock, VerbCheck, VerbWho, VerbList,
		VerbStatus, VerbPing, VerbHelp, VerbQuit, VerbCancel, VerbAcceptRestore,
	}
}

// String is the verb as a line shows it, in upper case.
func (v Verb) String() string {
	switch v {
	case VerbHello:
		return "HELLO"
	case VerbLock:
		return "LOCK"
	case VerbUnlock:
		return "UNLOCK"
	case VerbCheck:
		return "CHECK"
	case VerbWho:
		return "WHO"
	case VerbList:
		return "LIST"
	case VerbStatus:
		return "STATUS"
	case VerbPing:
		return "PING"
	case VerbHelp:
		return "HELP"
	case VerbQuit:
		return "QUIT"
	case VerbCancel:
		return "CANCEL"
	case VerbAcceptRestore:
		return "ACCEPT-RESTORE"
	}
	return "unknown verb"
}

// parseVerb finds a verb written in any case.
func parseVerb(word []byte) (Verb, bool) {
	for v := VerbHello; v <= VerbAcceptRestore; v++ {
		if name := v.String(); len(name) == len(word) && equalFold(word, name) {
			return v, true
		}
	}
	return 0, false
}

// equalFold compares ASCII letters in any case; word is as long as upper.
func equalFold(word []byte, upper string) bool {
	for i, c := range word {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != upper[i] {
			return false
		}
	}
	return true
}

// A shape is what may follow a verb.
type shape struct {
	least, most int    // how many names
	options     option // the set of options
}

func (v Verb) shape() shape {
	switch v {
	case VerbHello:
		return shape{options: optVersion | optOwner | optEvents}
	case VerbLock:
		return shape{1, MaxNames, optWait | optTTL | optOwner}
	case VerbUnlock:
		return shape{1, MaxNames, optFence}
	case VerbCheck, VerbWho:
		return shape{least: 1, most: 1}
	case VerbList:
		return shape{most: 1, options: optScope}
	case VerbHelp:
		return shape{most: 1}
	case VerbAcceptRestore:
		return shape{options: optLowerFences}
	}
	return shape{}
}

// nextWord cuts the first word from a line. Words are separated by one or more
// spaces; spaces before the first and after the last mean nothing.
func nextWord(line []byte) (word, rest []byte) {
	word, rest, _ = bytes.Cut(bytes.TrimLeft(line, " "), []byte{' '})
	return word, rest
}
