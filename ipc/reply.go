package ipc

import (
	"bytes"
	"errors"
	"strconv"
	"time"
	"unicode/utf8"
)

// The Append functions write replies and events into a connection's buffer and
// allocate nothing but its growth. A line is opened by one of AppendOK,
// AppendData and AppendEvent, gets its fields, and is closed by AppendEnd.

// AppendOK opens the last line of a reply that says yes.
func AppendOK(dst []byte) []byte { return append(dst, "OK"...) }

// AppendData opens a line that comes before the last one of a reply.
func AppendData(dst []byte) []byte { return append(dst, '+') }

// AppendEvent opens an event; its name is in upper case.
func AppendEvent(dst []byte, name string) []byte {
	return append(append(dst, "! "...), name...)
}

// AppendString writes a field. The value may be any bytes; those that would
// break the line are escaped.
func AppendString(dst []byte, key, value string) []byte {
	return appendValue(appendKey(dst, key), value)
}

// AppendInt writes a field with a decimal number.
func AppendInt(dst []byte, key string, value int64) []byte {
	return strconv.AppendInt(appendKey(dst, key), value, 10)
}

// AppendHex writes a field with a number in hex, as etcd writes lease ids.
func AppendHex(dst []byte, key string, value int64) []byte {
	return strconv.AppendUint(appendKey(dst, key), uint64(value), 16)
}

// AppendDuration writes a field with a duration in seconds, rounded down to a
// millisecond, such as 15s, 12.8s or 0.25s. A negative one is written as 0s.
func AppendDuration(dst []byte, key string, value time.Duration) []byte {
	return appendSeconds(appendKey(dst, key), value)
}

// AppendTime writes a field with a wall-clock time, in UTC to the millisecond,
// as RFC 3339 has it.
func AppendTime(dst []byte, key string, value time.Time) []byte {
	return value.UTC().AppendFormat(appendKey(dst, key), timeLayout)
}

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// AppendText writes the field text=, which is for people: it is the last of
// its line and its value runs to the line's end with nothing escaped.
func AppendText(dst []byte, text string) []byte {
	return appendText(appendKey(dst, textKey), text)
}

// textKey is the one key whose value may hold blanks.
const textKey = "text"

func appendKey(dst []byte, key string) []byte {
	dst = append(dst, ' ')
	dst = append(dst, key...)
	return append(dst, '=')
}

// AppendEnd closes a line. No line exceeds [MaxLine]: fields at its end that
// would are left out whole, which only values that others wrote into etcd can
// bring about.
func AppendEnd(dst []byte) []byte {
	start := bytes.LastIndexByte(dst, '\n') + 1
	if line := dst[start:]; len(line) >= MaxLine {
		end := bytes.LastIndexByte(line[:MaxLine], ' ')
		dst = dst[:start+max(end, 0)]
	}
	return append(dst, '\n')
}

// AppendErr writes the whole ERR line of an error. An error that is no
// [*Error] is answered [ErrInternal], and its text stays with the daemon.
func AppendErr(dst []byte, err error) []byte {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = ErrInternal
	}
	start := len(dst)
	dst = append(append(dst, "ERR "...), e.Code...)
	if e.Text != "" {
		dst = appendText(append(dst, ' '), e.Text)
	}
	if most := start + MaxLine - 1; len(dst) > most {
		dst = cutRune(dst[:most])
	}
	return append(dst, '\n')
}

// cutRune drops a character that a cut has left incomplete at the end.
func cutRune(text []byte) []byte {
	at := len(text) - 1
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	if !utf8.FullRune(text[at:]) {
		return text[:at]
	}
	return text
}

// AppendLost writes the whole line that says why a session ends.
func AppendLost(dst []byte, reason Reason) []byte {
	return AppendEnd(AppendString(AppendEvent(dst, EventLost), "reason", string(reason)))
}

// EventLost is the one event that comes unasked.
const EventLost = "LOST"
