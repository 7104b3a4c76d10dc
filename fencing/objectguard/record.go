package objectguard

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockside/fencing"
)

// ErrUnfenced is for an object that does not begin with a line as guards write it:
// who wrote it went past the guard.
var ErrUnfenced = errors.New("the object does not begin with its fence")

const (
	word      = "lockside-fence" // the first one of the line
	known     = 32               // ids that the line keeps
	longestID = 64               // which other programs may use
	longest   = 1 << 12          // line: more than all of these can be
)

// A record is an object: the line, and the body behind it.
type record struct {
	seen fencing.Token
	ids  []string // of the last writes, the newest one first
	body []byte
}

// newID is for a write, whose object it makes differ from any other. It has 65 bits
// of chance.
func newID() string { return rand.Text()[:13] }

// next is the record after a write.
func (r record) next(t fencing.Token, id string, body []byte) record {
	ids := append([]string{id}, r.ids...)
	return record{seen: t, ids: ids[:min(known, len(ids))], body: body}
}

// newest is the id of the write that made this record, "" where none did.
func (r record) newest() string {
	if len(r.ids) == 0 {
		return ""
	}
	return r.ids[0]
}

// has tells whether this record or one before it was made by a write.
func (r record) has(id string) bool { return slices.Contains(r.ids, id) }

// follows tells whether the record knows of all writes since that of an id, or
// since there was no object.
func (r record) follows(id string) bool {
	if id == "" {
		return len(r.ids) < known
	}
	return r.has(id)
}

// encode is the object.
func (r record) encode() []byte {
	line := strings.Join(append([]string{word, r.seen.String()}, r.ids...), " ")
	return slices.Concat([]byte(line), []byte("\n"), r.body)
}

// parse reads an object. The error is [ErrUnfenced].
func parse(object []byte) (record, error) {
	line, body, found := bytes.Cut(object, []byte("\n"))
	words := strings.Split(string(line[:min(longest, len(line))]), " ")
	if !found || len(line) > longest || words[0] != word || len(words) < 3 || len(words) > 2+known || slices.ContainsFunc(words, odd) {
		return record{}, fmt.Errorf("%w: it begins %.60q", ErrUnfenced, object)
	}
	seen, err := parseSeen(words[1])
	if err != nil { // not wrapped: it is not the caller's token that is none
		return record{}, fmt.Errorf("%w: %v", ErrUnfenced, err)
	}
	return record{seen: seen, ids: words[2:], body: body}, nil
}

// odd tells what is no word of a line.
func odd(word string) bool { return word == "" || len(word) > longestID }

// parseSeen reads a watermark, whose fence is 0 where it was set by hand.
func parseSeen(text string) (fencing.Token, error) {
	if id, found := strings.CutPrefix(text, "0@"); found && id != "" {
		cluster, err := fencing.ParseCluster(id)
		return fencing.Token{Cluster: cluster}, err
	}
	return fencing.Parse(text)
}

// Parse takes an object apart, for who reads one without a guard: the greatest
// token that it has seen, and its body. The error is [ErrUnfenced].
func Parse(object []byte) (seen fencing.Token, body []byte, err error) {
	r, err := parse(object)
	return r.seen, r.body, err
}
