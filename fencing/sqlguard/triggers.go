package sqlguard

import (
	"fmt"
	"strings"
)

// CheckSchema is the statement that makes what all triggers of a fence table
// share: a function in PostgreSQL, a procedure in MariaDB, the table of the
// session's token in SQLite. The fence table itself is made by [TableSchema].
//
// In a file for the mariadb client put DELIMITER around it.
func CheckSchema(d Dialect, names Names) (string, error) {
	t, err := newTriggers(d, names.fences(), names.fences().Table)
	if err != nil {
		return "", err
	}
	switch d {
	case PostgreSQL:
		return t.function(), nil
	case MariaDB:
		return t.procedure(), nil
	}
	return t.sessions(), nil
}

// TriggerSchema is the statements that have a table refuse tokens lower than the
// greatest that a row of the fence table has seen: they make that row, and the
// triggers. Several tables may have the same row.
func TriggerSchema(d Dialect, names Names, table, name string) ([]string, error) {
	if err := checkFence(name); err != nil {
		return nil, err
	}
	t, err := newTriggers(d, names.fences(), table)
	if err != nil {
		return nil, err
	}
	t.fence = d.literal(name)
	row := "INSERT INTO " + t.fences.Table + " (" + t.fences.Key + ") VALUES (" + t.fence + ") "
	switch d {
	case PostgreSQL:
		return []string{row + "ON CONFLICT DO NOTHING", t.statement()}, nil
	case MariaDB:
		row += "ON DUPLICATE KEY UPDATE " + t.fences.Key + " = " + t.fences.Key
		return append([]string{row}, t.rows("CALL "+t.check+"("+t.fence+")")...), nil
	}
	return append([]string{row + "ON CONFLICT DO NOTHING"}, t.rows(t.body())...), nil
}

// triggers are the quoted names that the statements are made of.
type triggers struct {
	fences Names
	table  string   // which is guarded
	names  []string // of triggers: for INSERT, UPDATE and DELETE; in PostgreSQL one for all
	check  string   // function or procedure
	told   string   // SQLite's table of the session's token
	fence  string   // a literal: the name of the row
}

// dollar quotes the body of PostgreSQL's function.
const dollar = "$lockside$"

func newTriggers(d Dialect, fences Names, table string) (t triggers, err error) {
	if t.fences, err = fences.quoted(d); err != nil {
		return t, err
	}
	if d == PostgreSQL && strings.Contains(fmt.Sprint(fences), dollar) {
		return t, fmt.Errorf("quote %q for a function: %s ends it", fences, dollar)
	}
	if d == SQLite && strings.Contains(fences.Table+table, ".") {
		return t, fmt.Errorf("quote %q and %q: SQLite's triggers take no schema's name", fences.Table, table)
	}
	if t.table, err = d.table(table); err != nil {
		return t, err
	}
	if t.check, err = d.table(fences.Table + "_check"); err != nil {
		return t, err
	}
	if t.told, err = d.table(fences.Table + "_session"); err != nil {
		return t, err
	}
	suffixes := []string{"_fence_insert", "_fence_update", "_fence_delete"}
	if d == PostgreSQL {
		suffixes = []string{"_fence"}
		_, bare, found := strings.Cut(table, ".") // a trigger is in its table's schema
		if found {
			table = bare
		}
	}
	for _, suffix := range suffixes {
		name, err := d.table(table + suffix)
		if err != nil {
			return t, err
		}
		t.names = append(t.names, name)
	}
	return t, nil
}

// statement is PostgreSQL's trigger, which fires once for each statement.
func (t triggers) statement() string {
	return "CREATE TRIGGER " + t.names[0] + " BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON " + t.table +
		"\nFOR EACH STATEMENT EXECUTE FUNCTION " + t.check + "(" + t.fence + ")"
}

// rows are triggers that do something for each row, one for each event.
func (t triggers) rows(do string) []string {
	var all []string
	for i, event := range []string{"INSERT", "UPDATE", "DELETE"} {
		all = append(all, "CREATE TRIGGER "+t.names[i]+" BEFORE "+event+" ON "+t.table+" FOR EACH ROW\n"+do)
	}
	return all
}

// function is PostgreSQL's. It locks the fence's row until the transaction ends.
func (t triggers) function() string {
	return t.fill(`CREATE FUNCTION {check}() RETURNS trigger LANGUAGE plpgsql AS ` + dollar + `
#variable_conflict use_column
DECLARE
	token bigint := nullif(current_setting('lockside.fence', true), '');
	origin text := coalesce(current_setting('lockside.cluster', true), '');
	seen bigint;
	seen_origin text;
BEGIN
	IF coalesce(token, 0) <= 0 THEN
		RAISE EXCEPTION USING ERRCODE = 'LF000', MESSAGE = '` + messageNone + `';
	END IF;
	SELECT {fence}, {cluster} INTO seen, seen_origin FROM {table} WHERE {key} = TG_ARGV[0] FOR UPDATE;
	IF NOT FOUND THEN
		RAISE EXCEPTION USING ERRCODE = 'LF002', MESSAGE = '` + messageUnknown + `';
	END IF;
	IF seen > token OR seen_origin <> origin AND (seen > 0 OR seen_origin <> '') THEN
		RAISE EXCEPTION USING ERRCODE = 'LF001', MESSAGE = '` + messageStale + `'
			|| seen || CASE seen_origin WHEN '' THEN '' ELSE '@' || seen_origin END;
	END IF;
	IF seen < token THEN
		UPDATE {table} SET {fence} = token, {cluster} = origin WHERE {key} = TG_ARGV[0];
	END IF;
	RETURN NULL;
END
` + dollar)
}

// procedure is MariaDB's. It locks the fence's row until the transaction ends.
func (t triggers) procedure() string {
	return t.fill(`CREATE PROCEDURE {check}(IN fence_name varbinary(512))
BEGIN
	DECLARE token bigint DEFAULT if(@lockside_fence REGEXP '^[1-9][0-9]*$', CAST(@lockside_fence AS SIGNED), 0);
	DECLARE origin varbinary(16) DEFAULT coalesce(@lockside_cluster, '');
	DECLARE seen bigint;
	DECLARE seen_origin varbinary(16);
	DECLARE refusal varchar(128);
	IF token <= 0 THEN
		SIGNAL SQLSTATE 'LF000' SET MESSAGE_TEXT = '` + messageNone + `';
	END IF;
	SELECT f.{fence}, f.{cluster} INTO seen, seen_origin FROM {table} AS f WHERE f.{key} = fence_name FOR UPDATE;
	IF seen IS NULL THEN
		SIGNAL SQLSTATE 'LF002' SET MESSAGE_TEXT = '` + messageUnknown + `';
	END IF;
	IF seen > token OR seen_origin <> origin AND (seen > 0 OR seen_origin <> '') THEN
		SET refusal = concat('` + messageStale + `', seen, if(seen_origin = '', '', concat('@', seen_origin)));
		SIGNAL SQLSTATE 'LF001' SET MESSAGE_TEXT = refusal;
	END IF;
	IF seen < token THEN
		UPDATE {table} AS f SET f.{fence} = token, f.{cluster} = origin WHERE f.{key} = fence_name;
	END IF;
END`)
}

// sessions is SQLite's table of the token that a transaction has told.
func (t triggers) sessions() string {
	return t.fill(`CREATE TABLE {told} (
	one integer PRIMARY KEY DEFAULT 1 CHECK (one = 1),
	fence integer NOT NULL CHECK (typeof(fence) = 'integer' AND fence > 0),
	cluster text NOT NULL DEFAULT ''
)`)
}

// body is that of SQLite's triggers, whose messages cannot be put together in all
// releases.
func (t triggers) body() string {
	return t.fill(`BEGIN
	SELECT RAISE(ABORT, '` + messageNone + `') WHERE NOT EXISTS (SELECT 1 FROM {told});
	SELECT RAISE(ABORT, '` + messageUnknown + `') WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE {key} = {name});
	SELECT RAISE(ABORT, '` + messageCluster + `') FROM {table} AS f, {told} AS t
		WHERE f.{key} = {name} AND f.{cluster} <> t.cluster AND (f.{fence} > 0 OR f.{cluster} <> '');
	SELECT RAISE(ABORT, '` + messageOver + `') FROM {table} AS f, {told} AS t
		WHERE f.{key} = {name} AND f.{fence} > t.fence;
	UPDATE {table} SET {fence} = (SELECT fence FROM {told}), {cluster} = (SELECT cluster FROM {told})
		WHERE {key} = {name} AND {fence} < (SELECT fence FROM {told});
END`)
}

// fill puts the names into a statement.
func (t triggers) fill(statement string) string {
	return strings.NewReplacer("{table}", t.fences.Table, "{key}", t.fences.Key, "{fence}", t.fences.Fence,
		"{cluster}", t.fences.Cluster, "{check}", t.check, "{told}", t.told, "{name}", t.fence).Replace(statement)
}
