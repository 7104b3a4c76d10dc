package ipc

import (
	"bytes"
	"slices"
	"time"
)

// Parse reads one line, without its LF; one CR at the end is dropped. What the
// request held before is forgotten. Nothing of the line's memory is kept.
//
// The error is always an [*Error] of code bad-request whose text says what to
// write instead; the request then holds nothing of use.
func (r *Request) Parse(line []byte) error {
	r.reset()
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if err := checkText(line); err != nil {
		return err
	}
	word, rest := nextWord(line)
	if len(word) == 0 {
		return ErrBadRequest.WithText("an empty line: HELP lists the requests")
	}
	verb, ok := parseVerb(word)
	if !ok {
		return ErrBadRequest.WithText("unknown verb %.40q: HELP lists the requests", word)
	}
	r.Verb = verb
	return r.parseWords(rest)
}

// seen is what a line has brought so far.
type seen struct {
	words   int // without '='
	options option
}

// parseWords reads what follows the verb.
func (r *Request) parseWords(rest []byte) error {
	var seen seen
	for word, rest := nextWord(rest); len(word) > 0; word, rest = nextWord(rest) {
		if err := r.parseWord(word, &seen); err != nil {
			return err
		}
	}
	if seen.words < r.Verb.shape().least {
		return ErrBadRequest.WithText("%s needs a name", r.Verb)
	}
	return nil
}

// parseWord reads one word. A '=' that is not escaped makes it an option.
func (r *Request) parseWord(word []byte, seen *seen) error {
	if key, value, ok := bytes.Cut(word, []byte{'='}); ok {
		return r.parseOption(key, value, seen)
	}
	seen.words++
	switch {
	case r.Verb == VerbCheck && seen.words == 2 && string(word) == "verify":
		r.Verify = true
		return nil
	case r.Verb == VerbAcceptRestore && seen.words == 1 && string(word) == "raise":
		r.Raise = true
		return nil
	}
	if most := r.Verb.shape().most; seen.words > most {
		return r.tooMany(word, most)
	}
	return r.parseName(word)
}

// tooMany refuses a word beyond those that the verb takes.
func (r *Request) tooMany(word []byte, most int) error {
	if most == 0 {
		return ErrBadRequest.WithText("%s takes no word such as %.40q", r.Verb, word)
	}
	return ErrBadRequest.WithText("%.40q is too much: %s takes at most %d; write a blank in a name as %%20", word, r.Verb, most)
}

// parseName reads a word that is no option: a name, LIST's glob, HELP's verb.
func (r *Request) parseName(word []byte) error {
	if r.Verb == VerbHelp {
		topic, ok := parseVerb(word)
		if !ok {
			return ErrBadRequest.WithText("no help on %.40q: HELP lists the requests", word)
		}
		r.Topic = topic.String()
		return nil
	}
	name, err := parseText(word, MaxName, "a name")
	if err != nil {
		return err
	}
	if r.Verb == VerbList {
		r.Glob = name
		return nil
	}
	if slices.Contains(r.Names, name) {
		return ErrBadRequest.WithText("%.40q is named twice", name)
	}
	r.Names = append(r.Names, name)
	return nil
}

// parseText unescapes a name or an owner and checks what comes out.
func parseText(word []byte, most int, what string) (string, error) {
	text, err := unescape(word)
	if err != nil {
		return "", err
	}
	if len(text) > most {
		return "", ErrBadRequest.WithText("%s of %d bytes: at most %d are allowed", what, len(text), most)
	}
	if err := checkText(text); err != nil {
		return "", err
	}
	return string(text), nil
}

// parseOption reads one key=value.
func (r *Request) parseOption(key, value []byte, seen *seen) error {
	opt, ok := parseOption(key)
	switch {
	case !ok:
		return ErrBadRequest.WithText("unknown option %.40q: write = in a name as %%3D", key)
	case r.Verb.shape().options&opt == 0:
		return ErrBadRequest.WithText("%s takes no option %s=", r.Verb, key)
	case seen.options&opt != 0:
		return ErrBadRequest.WithText("%s= is given twice", key)
	case len(value) == 0:
		return ErrBadRequest.WithText("%s= is empty: give a value or leave it out", key)
	}
	seen.options |= opt
	if opt == optOwner {
		owner, err := parseText(value, MaxOwner, "an owner")
		r.Owner = owner
		return err
	}
	value, err := unescape(value)
	if err != nil {
		return err
	}
	return r.setOption(opt, key, value)
}

// setOption reads the value of an option whose text is not free.
func (r *Request) setOption(opt option, key, value []byte) error {
	switch opt {
	case optWait:
		wait, ok := parseDuration(value)
		if !ok {
			return ErrBadRequest.WithText("wait=%.40q: not a duration such as 250ms, 1.5s or 2m", value)
		}
		r.Wait = wait
	case optTTL:
		ttl, ok := parseDuration(value)
		if !ok || ttl == 0 || ttl%time.Second != 0 {
			return ErrBadRequest.WithText("ttl=%.40q: not a duration of whole seconds such as 15s or 2m", value)
		}
		r.TTL = ttl
	case optFence:
		fence, ok := parseInt(value)
		if !ok || fence == 0 {
			return ErrBadRequest.WithText("fence=%.40q: not a fence, the number that LOCK answered", value)
		}
		r.Fence = fence
	case optLowerFences:
		fence, ok := parseInt(value)
		if !ok || fence == 0 {
			return ErrBadRequest.WithText("lower-fences=%.40q: not the number that ACCEPT-RESTORE told", value)
		}
		r.LowerFences = fence
	case optVersion:
		if version, ok := parseInt(value); !ok || version != Version {
			return ErrBadRequest.WithText("version=%.40q: version %d is spoken here", value, Version)
		}
		r.Version = Version
	default:
		return r.setChoice(opt, key, value)
	}
	return nil
}

// setChoice reads the value of an option that is one of a few words.
func (r *Request) setChoice(opt option, key, value []byte) error {
	switch opt {
	case optEvents:
		for _, events := range []Events{EventsNone, EventsLost} {
			if string(value) == events.String() {
				r.Events = events
				return nil
			}
		}
	case optScope:
		for _, scope := range Scopes() {
			if string(value) == scope.String() {
				r.Scope = scope
				return nil
			}
		}
	}
	return ErrBadRequest.WithText("%s=%.40q: not a value of it; HELP %s lists them", key, value, r.Verb)
}
