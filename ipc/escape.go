package ipc

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

const upperHex = "0123456789ABCDEF"

// unescape replaces each %XX of a word by its byte. A word without escapes is
// returned as it is, so the result may share the line's memory.
func unescape(word []byte) ([]byte, error) {
	at := bytes.IndexByte(word, '%')
	if at < 0 {
		return word, nil
	}
	out := append(make([]byte, 0, len(word)), word[:at]...)
	for i := at; i < len(word); i++ {
		c := word[i]
		if c == '%' {
			if i+2 >= len(word) || nibble(word[i+1]) > 15 || nibble(word[i+2]) > 15 {
				return nil, ErrBadRequest.WithText("%.40q: two hex digits must follow %%; write %% itself as %%25", word)
			}
			c = nibble(word[i+1])<<4 | nibble(word[i+2])
			i += 2
		}
		out = append(out, c)
	}
	return out, nil
}

// nibble is the value of a hex digit in either case, and 16 for other bytes.
func nibble(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 16
}

// checkText refuses control characters and bytes that are not UTF-8. Lines are
// checked before they are taken apart, and names and owners once more after
// unescaping.
func checkText(text []byte) error {
	for i := 0; i < len(text); {
		c := text[i]
		if ' ' <= c && c <= '~' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return ErrBadRequest.WithText("byte %d is not UTF-8", i+1)
		}
		if unicode.IsControl(r) {
			return ErrBadRequest.WithText("byte %d: %s is a control character%s", i+1, fmt.Sprintf("%U", r), controlHint(r))
		}
		i += size
	}
	return nil
}

// controlHint says what to write instead of the control character that people
// send most.
func controlHint(r rune) string {
	if r == '\t' {
		return "; separate words by spaces"
	}
	return ""
}

// appendEscaped writes a value so that it holds no blank and ends no line:
// spaces, '%', control characters, the Unicode line ends, bytes that are not
// UTF-8 and one more ASCII character become %XX. Other text is kept, so that
// people can read it.
func appendEscaped(dst []byte, value string, also byte) []byte {
	for i := 0; i < len(value); {
		c := value[i]
		if c < utf8.RuneSelf {
			if c <= ' ' || c == '%' || c == 0x7f || c == also {
				dst = appendByte(dst, c)
			} else {
				dst = append(dst, c)
			}
			i++
			continue
		}
		size := printable(value[i:])
		if size == 0 {
			dst = appendByte(dst, c)
			i++
			continue
		}
		dst = append(dst, value[i:i+size]...)
		i += size
	}
	return dst
}

// appendValue writes the value of a field or an option.
func appendValue(dst []byte, value string) []byte {
	return appendEscaped(dst, value, '%')
}

// printable is the length of the character that text begins with, and 0 if
// that is no valid one or one to escape.
func printable(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size <= 1 || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
		return 0
	}
	return size
}

func appendByte(dst []byte, c byte) []byte {
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

// appendText writes text for people: what cannot stand in a line becomes a
// space or U+FFFD, and nothing is escaped.
func appendText(dst []byte, text string) []byte {
	for _, r := range text {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			r = ' '
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}
