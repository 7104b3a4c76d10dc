package transcript

import (
	"regexp"
	"slices"
	"strings"
)

// Match reports whether a line is what a pattern describes.
//
// The fields of the two may come in any order, but there must be the same
// ones; a field in brackets may be missing from the line. In a field's value
// and in the text of ERR stand for text that differs each time:
//
//	<int> <fence>   decimal digits
//	<hex>           hex digits in lower case
//	<duration>      a duration as the daemon writes it, 12.8s
//	<time>          a time as the daemon writes it
//	<key>           the last part of an entry's key
//	<word>          anything without a blank, but not nothing
//	<text>          anything
func Match(pattern, line string) bool {
	want, got := split(pattern), split(line)
	if want.head != got.head || !matchText(want.text, got.text) {
		return false
	}
	for _, field := range want.fields {
		field, optional := trimBrackets(field)
		at := got.find(field)
		if at < 0 && optional {
			continue
		}
		if at < 0 || !matchText(field, got.fields[at]) {
			return false
		}
		got.fields = slices.Delete(got.fields, at, at+1)
	}
	return len(got.fields) == 0
}

// A parted line is one taken apart: what says which line it is, its fields,
// and the text that runs to its end.
type parted struct {
	head   string
	fields []string
	text   string
}

func split(line string) parted {
	kind, rest, _ := strings.Cut(line, " ")
	if kind == "ERR" {
		code, text, _ := strings.Cut(rest, " ")
		return parted{head: kind + " " + code, text: text}
	}
	var p parted
	if before, text, ok := strings.Cut(" "+rest, " text="); ok {
		rest, p.text = before, "text="+text
	}
	p.head = kind
	for word := range strings.FieldsSeq(rest) {
		if strings.Contains(word, "=") {
			p.fields = append(p.fields, word)
		} else {
			p.head += " " + word
		}
	}
	return p
}

// find is the place of the field with the same key, or -1.
func (p *parted) find(field string) int {
	key, _, _ := strings.Cut(field, "=")
	for i, f := range p.fields {
		if strings.HasPrefix(f, key+"=") {
			return i
		}
	}
	return -1
}

func trimBrackets(field string) (string, bool) {
	inner, opened := strings.CutPrefix(field, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if opened && closed {
		return inner, true
	}
	return field, false
}

// shape is the regular expression of a placeholder, "" if there is none.
func shape(placeholder string) string {
	switch placeholder {
	case "<int>", fencePlaceholder:
		return `[0-9]+`
	case "<hex>":
		return `[0-9a-f]+`
	case "<duration>":
		return `[0-9]+(\.[0-9]{1,3})?s`
	case "<time>":
		return `[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z`
	case "<key>":
		return `[0-9a-f]+-[0-9]+`
	case "<word>":
		return `[^ ]+`
	case "<text>":
		return `.*`
	}
	return ""
}

// fencePlaceholder stands in a request for the fence read last.
const fencePlaceholder = "<fence>"

// placeholders cuts a pattern at its placeholders.
func placeholders(pattern string) [][]int {
	return regexp.MustCompile(`<[a-z ]+>`).FindAllStringIndex(pattern, -1)
}

// matchText compares text with a pattern.
func matchText(pattern, text string) bool {
	var expr strings.Builder
	at := 0
	for _, span := range placeholders(pattern) {
		expr.WriteString(regexp.QuoteMeta(pattern[at:span[0]]))
		expr.WriteString(shape(pattern[span[0]:span[1]]))
		at = span[1]
	}
	expr.WriteString(regexp.QuoteMeta(pattern[at:]))
	return regexp.MustCompile(`\A(` + expr.String() + `)\z`).MatchString(text)
}
