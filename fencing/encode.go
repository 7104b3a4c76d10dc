package fencing

import (
	"database/sql/driver"
	"fmt"
)

// MarshalText is for JSON, where a token is a string, since many readers of JSON
// keep numbers as floating point; and for flags and headers. The error is
// [ErrToken] for a token that no guard would take.
func (t Token) MarshalText() ([]byte, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	return []byte(t.String()), nil
}

// UnmarshalText reads what [Token.MarshalText] gave. Its errors are those of
// [Parse].
func (t *Token) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*t = parsed
	}
	return err
}

// Value is the fence as a bigint, for databases to compare with one that they
// hold. The cluster is not in it: it is text, for a column of its own. The error
// is [ErrToken] for a token that no guard would take.
//
// It makes a Token a [driver.Valuer].
func (t Token) Value() (driver.Value, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t.Fence, nil
}

// Scan reads a column of fences, a bigint, into Fence, and leaves Cluster as it
// is. NULL and 0 are the fence of nobody yet. The error is [ErrToken].
//
// It makes a Token a [database/sql.Scanner].
func (t *Token) Scan(column any) error {
	switch column := column.(type) {
	case nil:
		t.Fence = 0
	case int64:
		if column < 0 {
			return fmt.Errorf("%w: fence %d is not positive", ErrToken, column)
		}
		t.Fence = column
	case []byte:
		return t.scanText(string(column))
	case string:
		return t.scanText(column)
	default:
		return fmt.Errorf("%w: a column of %T is no fence", ErrToken, column)
	}
	return nil
}

// scanText is for drivers that give numbers as text.
func (t *Token) scanText(text string) error {
	if text == "0" {
		t.Fence = 0
		return nil
	}
	parsed, err := Parse(text)
	if err != nil {
		return err
	}
	if parsed.Cluster != 0 {
		return fmt.Errorf("%w: column %.40q has a cluster in it", ErrToken, text)
	}
	t.Fence = parsed.Fence
	return nil
}

// Value is the id as text, "" for none.
func (c Cluster) Value() (driver.Value, error) { return c.String(), nil }

// Scan reads a column of ids, as text. NULL is none. The error is [ErrToken].
func (c *Cluster) Scan(column any) error {
	var text string
	switch column := column.(type) {
	case nil:
	case string:
		text = column
	case []byte:
		text = string(column)
	default:
		return fmt.Errorf("%w: a column of %T is no cluster", ErrToken, column)
	}
	id, err := ParseCluster(text)
	if err == nil {
		*c = id
	}
	return err
}
