package sqlguard

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Dialect is the SQL that a database speaks.
type Dialect int

// The dialects. MariaDB is that of MySQL as well.
const (
	PostgreSQL Dialect = iota + 1
	MariaDB
	SQLite
)

// String is the dialect's name.
func (d Dialect) String() string {
	switch d {
	case PostgreSQL:
		return "PostgreSQL"
	case MariaDB:
		return "MariaDB"
	case SQLite:
		return "SQLite"
	}
	return fmt.Sprintf("dialect %d", int(d))
}

func (d Dialect) check() error {
	if d < PostgreSQL || d > SQLite {
		return fmt.Errorf("there is no SQL %v: say which one the database speaks", d)
	}
	return nil
}

// identifier quotes one name. What a database would cut short, or would not
// take, is an error.
func (d Dialect) identifier(name string) (string, error) {
	switch {
	case name == "":
		return "", fmt.Errorf("quote a name for %v: it is empty", d)
	case strings.ContainsRune(name, 0) || !utf8.ValidString(name):
		return "", fmt.Errorf("quote %q for %v: it is no text", name, d)
	case d == PostgreSQL && len(name) > 63:
		return "", fmt.Errorf("quote %q for %v: it is longer than 63 bytes", name, d)
	case d == MariaDB && utf8.RuneCountInString(name) > 64:
		return "", fmt.Errorf("quote %q for %v: it is longer than 64 characters", name, d)
	case d == MariaDB && strings.HasSuffix(name, " "):
		return "", fmt.Errorf("quote %q for %v: it ends in a blank", name, d)
	}
	quote := `"`
	if d == MariaDB {
		quote = "`"
	}
	return quote + strings.ReplaceAll(name, quote, quote+quote) + quote, nil
}

// table quotes the name of a table, which may have its schema's before it.
func (d Dialect) table(name string) (string, error) {
	schema, table, found := strings.Cut(name, ".")
	if !found {
		return d.identifier(name)
	}
	if strings.Contains(table, ".") {
		return "", fmt.Errorf("quote %q for %v: it has more than one point", name, d)
	}
	before, err := d.identifier(schema)
	if err != nil {
		return "", err
	}
	after, err := d.identifier(table)
	return before + "." + after, err
}

// literal quotes a text, in a way that no setting of the server changes: whether
// a backslash stands for itself depends on them.
func (d Dialect) literal(text string) string {
	if d != SQLite && strings.Contains(text, `\`) {
		if d == MariaDB {
			return fmt.Sprintf("x'%x'", text)
		}
		return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
