package sqlguard

import "fmt"

// TableSchema is the statement that makes a fence table.
func TableSchema(d Dialect, names Names) (string, error) {
	n, err := names.fences().quoted(d)
	if err != nil {
		return "", err
	}
	key, cluster := "text", "text"
	switch d {
	case PostgreSQL:
		key = `text COLLATE "C"`
	case MariaDB: // whose texts differ neither by case nor by blanks at their ends
		key, cluster = fmt.Sprintf("varbinary(%d)", longest), "varbinary(16)"
	}
	text := "CREATE TABLE " + n.Table + " (\n" +
		"\t" + n.Key + " " + key + " NOT NULL PRIMARY KEY,\n" +
		"\t" + n.Fence + " bigint NOT NULL DEFAULT 0,\n" +
		"\t" + n.Cluster + " " + cluster + " NOT NULL DEFAULT ''\n)"
	if d == MariaDB {
		text += " ENGINE=InnoDB"
	}
	return text, nil
}

// RowSchema is the statements that add a watermark to each row of a table.
func RowSchema(d Dialect, names Names) ([]string, error) {
	n, err := names.quoted(d)
	if err != nil {
		return nil, err
	}
	cluster := "text"
	if d == MariaDB {
		cluster = "varbinary(16)"
	}
	alter := "ALTER TABLE " + n.Table + " ADD COLUMN "
	return []string{
		alter + n.Fence + " bigint NOT NULL DEFAULT 0",
		alter + n.Cluster + " " + cluster + " NOT NULL DEFAULT ''",
	}, nil
}
