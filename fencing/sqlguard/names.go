package sqlguard

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Names are those of the table that watermarks are in, and of its columns, as the
// database spells them: they are quoted, so that letters keep their case.
type Names struct {
	// Table may have its schema's name before it, and a point between. Of a fence
	// table it is "fences" by default.
	Table string

	// Key is the column that finds a row. It has to be unique. By default it is
	// "name" of a fence table, and "id" of other tables.
	Key string

	Fence   string // a bigint; "fence" by default
	Cluster string // a text; "cluster" by default
}

// fences are the names of a fence table.
func (n Names) fences() Names {
	n.Table, n.Key = cmp.Or(n.Table, "fences"), cmp.Or(n.Key, "name")
	return n
}

// columns are the names, without those of a fence table.
func (n Names) columns() Names {
	n.Key, n.Fence, n.Cluster = cmp.Or(n.Key, "id"), cmp.Or(n.Fence, "fence"), cmp.Or(n.Cluster, "cluster")
	return n
}

// quoted are the names as a statement has them.
func (n Names) quoted(d Dialect) (Names, error) {
	if err := d.check(); err != nil {
		return n, err
	}
	n = n.columns()
	table, err := d.table(n.Table)
	for _, column := range []*string{&n.Key, &n.Fence, &n.Cluster} {
		quoted, wrong := d.identifier(*column)
		*column, err = quoted, cmp.Or(err, wrong)
	}
	n.Table = table
	return n, err
}

// beside is the name of something that goes with a table, in its schema.
func (n Names) beside(d Dialect, suffix string) (string, error) { return d.table(n.Table + suffix) }

// longest is how long the name of a fence may be, in bytes. It is that of lockside.
const longest = 512

// checkFence is for the name of a fence in a fence table.
func checkFence(name string) error {
	switch {
	case name == "":
		return errors.New("a fence needs a name, which is best the lock's")
	case len(name) > longest:
		return fmt.Errorf("the name of a fence is of %d bytes, and %d are the most", len(name), longest)
	case strings.ContainsRune(name, 0) || !utf8.ValidString(name):
		return fmt.Errorf("the name of a fence is %q, which is no text", name)
	}
	return nil
}
