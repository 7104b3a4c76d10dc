package ipc

import (
	"bytes"
	"strconv"
	"time"
)

// A Field is one key=value of a reply or an event, its value unescaped.
type Field struct {
	Key, Value string
}

// Fields are those of one line, in the order in which they came. The order
// means nothing; readers look fields up and ignore those they do not know.
type Fields []Field

// Get is the value of a field, "" if it is absent.
func (f Fields) Get(key string) string {
	value, _ := f.Lookup(key)
	return value
}

// Lookup is the value of a field, and whether it is there.
func (f Fields) Lookup(key string) (string, bool) {
	for _, field := range f {
		if field.Key == key {
			return field.Value, true
		}
	}
	return "", false
}

// Int is a field's decimal number; 0 if the field is absent or no such number.
func (f Fields) Int(key string) int64 {
	n, _ := strconv.ParseInt(f.Get(key), 10, 64)
	return n
}

// Hex is a field's number in hex; 0 if the field is absent or no such number.
func (f Fields) Hex(key string) int64 {
	n, _ := strconv.ParseUint(f.Get(key), 16, 64)
	return int64(n)
}

// Duration is a field's duration; 0 if the field is absent or no duration.
func (f Fields) Duration(key string) time.Duration {
	d, _ := parseDuration(f.Get(key))
	return d
}

// Time is a field's wall-clock time; the zero time if the field is absent or
// no time.
func (f Fields) Time(key string) time.Time {
	t, _ := time.Parse(time.RFC3339, f.Get(key))
	return t
}

// parseFields reads the rest of a line. The field text= takes all that is left.
func parseFields(rest []byte) (Fields, error) {
	var fields Fields
	for {
		rest = bytes.TrimLeft(rest, " ")
		if text, ok := bytes.CutPrefix(rest, []byte(textKey+"=")); ok {
			return append(fields, Field{textKey, string(text)}), nil
		}
		var word []byte
		if word, rest = nextWord(rest); len(word) == 0 {
			return fields, nil
		}
		key, raw, ok := bytes.Cut(word, []byte{'='})
		if !ok || len(key) == 0 {
			return nil, malformed(word)
		}
		value, err := unescape(raw)
		if err != nil {
			return nil, malformed(word)
		}
		fields = append(fields, Field{string(key), string(value)})
	}
}
