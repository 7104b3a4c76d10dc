package register

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"lockside/fencing"
)

// postgres is a row of a table that the drill makes.
type postgres struct {
	psql  program
	place string
	table string
}

// The statements, as psql reads them: it puts in its variables, quoted. That none
// asks for a row's lock first is right: an UPDATE looks again at a row that another
// has changed meanwhile.
const (
	postgresMake = `CREATE TABLE :"table" (id int PRIMARY KEY, value text NOT NULL, fence bigint NOT NULL, cluster text NOT NULL);
INSERT INTO :"table" VALUES (1, :'value', 0, '');
`
	postgresRemove = `DROP TABLE IF EXISTS :"table";
`
	postgresRead = `SELECT value FROM :"table" WHERE id = 1;
`
	postgresUnfenced = `UPDATE :"table" SET value = :'value' WHERE id = 1 RETURNING 'done';
`
	postgresCheck = ` WHERE id = 1 AND fence <= :'fence' AND cluster IN ('', :'cluster') RETURNING 'done';
`
	postgresClaim = `UPDATE :"table" SET fence = :'fence', cluster = :'cluster'` + postgresCheck
	postgresWrite = `UPDATE :"table" SET value = :'value', fence = :'fence', cluster = :'cluster'` + postgresCheck
	postgresSeen  = `SELECT fence, cluster FROM :"table" WHERE id = 1;
`
)

func newPostgres(u *url.URL, table string) *postgres {
	bare, _, password := withoutPassword(u)
	if query := bare.Query(); query.Has("password") { // which libpq takes, too
		password = query.Get("password")
		query.Del("password")
		copied := *bare
		copied.RawQuery = query.Encode()
		bare = &copied
	}
	p := &postgres{place: fmt.Sprintf("table %s of %s", table, bare), table: table}
	p.psql = program{
		name: "psql", install: "postgresql-client",
		// No start-up file, no question, bare values, and an error is one.
		args: []string{"-XqAtw", "-F", "|", "-v", "ON_ERROR_STOP=1", "-d", bare.String()},
	}
	if os.Getenv("PGCONNECT_TIMEOUT") == "" {
		p.psql.env = append(p.psql.env, "PGCONNECT_TIMEOUT=5")
	}
	if password != "" {
		p.psql.env = append(p.psql.env, "PGPASSWORD="+password)
	}
	return p
}

func (p *postgres) run(ctx context.Context, statements string, t fencing.Token, value string) (string, error) {
	return p.psql.run(ctx, statements, "-v", "table="+p.table, "-v", "value="+value,
		"-v", fmt.Sprintf("fence=%d", t.Fence), "-v", "cluster="+t.Cluster.String())
}

func (p *postgres) Make(ctx context.Context, value string) error {
	_, err := p.run(ctx, postgresMake, fencing.Token{}, value)
	return err
}

func (p *postgres) Remove(ctx context.Context, _ fencing.Token) error {
	_, err := p.run(ctx, postgresRemove, fencing.Token{}, "")
	return err
}

func (p *postgres) Read(ctx context.Context) (string, error) {
	return p.run(ctx, postgresRead, fencing.Token{}, "")
}

func (p *postgres) Claim(ctx context.Context, t fencing.Token) error {
	return p.change(ctx, postgresClaim, t, "")
}

func (p *postgres) Write(ctx context.Context, t fencing.Token, value string) error {
	if t.IsZero() {
		return p.change(ctx, postgresUnfenced, t, value)
	}
	return p.change(ctx, postgresWrite, t, value)
}

// change is an UPDATE. One that found no row looks why: the watermark has not
// fallen since.
func (p *postgres) change(ctx context.Context, update string, t fencing.Token, value string) error {
	output, err := p.run(ctx, update+postgresSeen, t, value)
	if err != nil {
		return err
	}
	seen, done := strings.CutPrefix(output, "done\n")
	if done {
		return nil
	}
	fence, cluster, _ := strings.Cut(seen, "|")
	highest, err := tokenOf(fence, cluster)
	if err != nil {
		return fmt.Errorf("read what psql wrote, %.60q: %w", output, err)
	}
	return refusal(t, highest)
}

func (p *postgres) Place() string { return p.place }

func (p *postgres) Recipe() string {
	return strings.Join([]string{
		"-- psql reads this, and puts in its variables. First, once:\n" + postgresMake,
		"-- The claim, before anything is read. No row back: stale.\n" + postgresClaim,
		"-- The write, with the check in the same statement. No row back: stale.\n" + postgresWrite,
		"-- Why there was no row back.\n" + postgresSeen,
	}, "\n")
}
