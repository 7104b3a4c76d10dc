package config

import (
	"fmt"
	"slices"
)

// Problem is one thing wrong with the configuration. [Load] reports all it
// finds, joined by [errors.Join].
type Problem struct {
	// Where is the flag, the variable, or the file, line and key.
	Where string
	// Value is what stood there; empty if it was nothing or a secret.
	Value string
	// Err says what is wanted instead.
	Err error
}

func (p *Problem) Error() string {
	if p.Value == "" {
		return fmt.Sprintf("%s: %v", p.Where, p.Err)
	}
	return fmt.Sprintf("%s: %q: %v", p.Where, p.Value, p.Err)
}

func (p *Problem) Unwrap() error { return p.Err }

// unknown is the error for a name that no setting has. It proposes the closest
// one, if any is close enough to be what was meant.
func unknown(word string, known []string) error {
	best := slices.MinFunc(known, func(a, b string) int {
		return distance(word, a) - distance(word, b)
	})
	if distance(word, best) > 1+len(word)/3 {
		return fmt.Errorf("no setting is called %q; locksided --help lists them", word)
	}
	return fmt.Errorf("no setting is called %q; did you mean %q?", word, best)
}

// distance is the number of bytes to insert, delete or replace to make b of a,
// after Levenshtein.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
