package ipc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Kind is what a line from the daemon is.
type Kind uint8

// The kinds of lines.
const (
	KindOK    Kind = iota + 1 // "OK": the last line of a reply that says yes
	KindErr                   // "ERR": a reply that says no
	KindData                  // "+": a line before the last of a reply
	KindEvent                 // "!": no reply, but something that happened
)

// A Reply is one line from the daemon, taken apart.
type Reply struct {
	Kind   Kind
	Event  string // the event's name
	Code   Code   // of ERR
	Text   string // of ERR: for people, and may change
	Fields Fields // of the other kinds
}

// ErrMalformed is wrapped by the errors of [ParseReply]: whoever wrote the line
// does not speak this protocol, and nothing after it can be trusted.
var ErrMalformed = errors.New("not a line of the protocol")

func malformed(text []byte) error {
	return fmt.Errorf("%w: %.60q", ErrMalformed, text)
}

// ParseReply reads one line from the daemon, without its LF. Nothing of the
// line's memory is kept. Any error wraps [ErrMalformed].
func ParseReply(line []byte) (Reply, error) {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if checkText(line) != nil {
		return Reply{}, malformed(line)
	}
	word, rest, _ := bytes.Cut(line, []byte{' '})
	reply := Reply{}
	switch string(word) {
	case "OK":
		reply.Kind = KindOK
	case "+":
		reply.Kind = KindData
	case "ERR":
		return parseErr(line, rest)
	case "!":
		if word, rest = nextWord(rest); len(word) == 0 {
			return Reply{}, malformed(line)
		}
		reply.Kind, reply.Event = KindEvent, string(word)
	default:
		return Reply{}, malformed(line)
	}
	fields, err := parseFields(rest)
	reply.Fields = fields
	return reply, err
}

func parseErr(line, rest []byte) (Reply, error) {
	code, text, _ := bytes.Cut(rest, []byte{' '})
	if len(code) == 0 {
		return Reply{}, malformed(line)
	}
	return Reply{Kind: KindErr, Code: Code(code), Text: string(text)}, nil
}

// Err is the [*Error] of an ERR line, and nil for the other kinds.
func (r *Reply) Err() error {
	if r.Kind != KindErr {
		return nil
	}
	return &Error{Code: r.Code, Text: r.Text}
}

// Append writes the line, its LF included, that [ParseReply] reads back as the
// same reply.
func (r *Reply) Append(dst []byte) []byte {
	switch r.Kind {
	case KindErr:
		return AppendErr(dst, r.Err())
	case KindOK:
		dst = AppendOK(dst)
	case KindData:
		dst = AppendData(dst)
	case KindEvent:
		dst = AppendEvent(dst, r.Event)
	}
	for _, field := range r.Fields {
		if field.Key == textKey {
			return AppendEnd(AppendText(dst, field.Value))
		}
		dst = AppendString(dst, field.Key, field.Value)
	}
	return AppendEnd(dst)
}

// ReadLine reads one line and returns it without its LF. The line is valid
// until the next read. The buffer of in must hold [MaxLine] bytes.
//
// A line that is longer is [ErrTooLong]. End-of-file is io.EOF, and
// io.ErrUnexpectedEOF within a line: half a line means nothing.
func ReadLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	switch {
	case err == nil && len(line) > MaxLine, errors.Is(err, bufio.ErrBufferFull):
		return nil, ErrTooLong
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	return line[:len(line)-1], nil
}
