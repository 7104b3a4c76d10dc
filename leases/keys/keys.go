// Package keys names what lockside keeps in etcd.
//
// A name's queue is every key below <prefix><escaped name>/, so that one name
// without special bytes is exactly what `etcdctl lock <prefix>name` uses. An
// entry is <queue><lease id, hex>-<slot>. The daemon's own keys lie below
// <prefix>!, which no escaped name can reach, since '!' is always escaped.
package keys

import (
	"strconv"
	"strings"
)

const upperHex = "0123456789ABCDEF"

// plain reports whether a byte stands for itself in an escaped name.
func plain(c byte) bool {
	switch {
	case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("-._~:@+,", c) >= 0
}

// Escape writes a name with every other byte as %XX, so that it holds no '/'
// and no two names share a queue.
func Escape(name string) string {
	special := 0
	for i := range len(name) {
		if !plain(name[i]) {
			special++
		}
	}
	if special == 0 {
		return name
	}
	var b strings.Builder
	b.Grow(len(name) + 2*special)
	for i := range len(name) {
		if c := name[i]; plain(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(upperHex[c>>4])
			b.WriteByte(upperHex[c&15])
		}
	}
	return b.String()
}

// Unescape is the reverse of Escape. It reports false for text that Escape
// does not write, such as a key that another program put below the prefix.
func Unescape(escaped string) (string, bool) {
	var b strings.Builder
	b.Grow(len(escaped))
	for i := 0; i < len(escaped); i++ {
		c := escaped[i]
		if c == '%' {
			if i+2 >= len(escaped) {
				return "", false
			}
			v, err := strconv.ParseUint(escaped[i+1:i+3], 16, 8)
			if err != nil {
				return "", false
			}
			c, i = byte(v), i+2
		} else if !plain(c) {
			return "", false
		}
		b.WriteByte(c)
	}
	name := b.String()
	return name, Escape(name) == escaped
}

// Queue is the key prefix of a name's queue.
func Queue(prefix, name string) string {
	return prefix + Escape(name) + "/"
}

// End is the key after every key below a prefix, as etcd's range_end wants it.
func End(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return string(b[:i+1])
		}
	}
	return "\x00"
}

// Entry is the key of one place in a queue.
func Entry(queue string, lease int64, slot int) string {
	b := make([]byte, 0, len(queue)+22)
	b = append(b, queue...)
	b = strconv.AppendInt(b, lease, 16)
	b = append(b, '-')
	b = strconv.AppendInt(b, int64(slot), 10)
	return string(b)
}

// Epoch is the key that guards every write of one lease.
func Epoch(prefix string, lease int64) string {
	return prefix + "!" + strconv.FormatInt(lease, 16)
}

// Raise is the key that is written to raise etcd's revision. It hangs on no lease.
func Raise(prefix string) string { return prefix + "!raise" }

// Split takes a key apart into the name of its queue and what follows. It
// reports false for a key that lies in no queue.
func Split(prefix, key string) (name, rest string, ok bool) {
	below, ok := strings.CutPrefix(key, prefix)
	if !ok {
		return "", "", false
	}
	escaped, rest, ok := strings.Cut(below, "/")
	if !ok {
		return "", "", false
	}
	name, ok = Unescape(escaped)
	return name, rest, ok && name != ""
}

// Place takes the last part of an entry's key apart. It reports false for a
// key that another kind of client made.
func Place(rest string) (lease int64, slot int, ok bool) {
	hex, number, ok := strings.Cut(rest, "-")
	if !ok {
		return 0, 0, false
	}
	lease, err := strconv.ParseInt(hex, 16, 64)
	if err != nil {
		return 0, 0, false
	}
	slot, err = strconv.Atoi(number)
	return lease, slot, err == nil && Entry("", lease, slot) == rest
}
