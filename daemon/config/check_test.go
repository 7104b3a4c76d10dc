package config_test

import (
	"strings"
	"testing"
)

func TestProblemsNameWhereAndWhat(t *testing.T) {
	long := "/" + strings.Repeat("x", 107)
	for _, test := range []struct {
		give string // a flag, or NAME=VALUE of the environment
		want string
	}{
		{"--ttl=abc", `--ttl: "abc": want a duration such as 250ms, 1.5s, 2m, or a number of seconds`},
		{"--ttl=1.5s", `--ttl: "1.5s": want whole seconds, as etcd grants them`},
		{"--ttl=2h", `--ttl: "2h": want min-ttl to max-ttl, which is 3s to 1h`},
		{"--ttl=-5", `--ttl: "-5": want a duration such as`},
		{"--max-ttl=2", `min-ttl: "3s": want at most max-ttl, which is 2s`},
		{"--min-ttl=2", `--min-ttl: "2s": want more than twice the margin, which is 1s`},
		{"--margin=1500ms", `--margin: "1.5s": want less than half of min-ttl, which is 3s`},
		{"LOCKSIDED_MARGN=1", `LOCKSIDED_MARGN: no setting is called "margn"; did you mean "margin"?`},
		{"LOCKSIDED_SERVICE_PORT=1", `LOCKSIDED_SERVICE_PORT: no setting is called "service-port"; locksided --help lists them`},
		{"LOCKSIDED_EMBEDDED=yes", `LOCKSIDED_EMBEDDED: "yes": want true or false`},
		{"--socket=" + long, `want at most 107 bytes, the kernel's limit for a socket; this has 108`},
		{"--socket=@abstract", `--socket: "@abstract": want a path`},
		{"--socket-mode=888", `--socket-mode: "888": want octal permissions from 0000 to 0777`},
		{"--socket-mode=1777", `want octal permissions`},
		{"--socket-group=no such group", `want a group of this host or its number`},
		{"--endpoints=a", `--endpoints: "a": a: want a port, such as 2379`},
		{"--endpoints=ftp://a:1", `want HOST:PORT, http://, https://, unix:// or unixs://`},
		{"--endpoints=https://a:1,b:2", `want https:// for all of them or for none`},
		{"--endpoints=a:1,,b:2", `want one or more words between commas`},
		{"--embedded-listen=127.0.0.1:1", `--embedded-listen: "127.0.0.1:1": means nothing without embedded`},
		{"--embedded-listen=10.0.0.1:1", `want a loopback address`},
		{"--embedded-listen=:2379", `want a loopback address`},
		{"--embedded-listen=2379", `want HOST:PORT or unix:PATH`},
		{"--embedded-listen=unix:" + long, `want at most 107 bytes`},
		{"--prefix=", `--prefix: want printable text that ends in a slash`},
		{"--prefix=lockside", `--prefix: "lockside": want printable text that ends in a slash`},
		{"--host=a\nb", `want 1 to 255 bytes of printable text`},
		{"--max-sessions=0", `--max-sessions: "0": want a whole number from 1 to 2147483647`},
		{"--log-level=trace", `--log-level: "trace": want debug, info, warn or error`},
		{"--log-format=xml", `--log-format: "xml": want text or json`},
		{"--cert=c.pem", `want cert and key together`},
		{"--cacert=/nonexistent", `read CA certificates: open /nonexistent`},
		{"--password=x", `user: want the name that the password belongs to`},
		{"--user=app", `--user: "app": want a password too, best by password-file`},
		{"--config=/nonexistent", `read config: open /nonexistent`},
	} {
		t.Run(test.give, func(t *testing.T) {
			var environ, args []string
			if strings.HasPrefix(test.give, "--") {
				args = []string{test.give}
			} else {
				environ = []string{test.give}
			}
			_, err := load(t, environ, args...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestFileProblemsNameTheLine(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"unknown", "# c\nmargn: 2s\n", `c.yaml:2: margn: no setting is called "margn"; did you mean "margin"?`},
		{"config in itself", "config: x\n", `c.yaml:1: config: no setting is called "config"`},
		{"bad value", "host: a\nttl: soon\n", `c.yaml:2: ttl: "soon": want a duration`},
		{"wrong beside another", "\n\nttl: 2h\n", `c.yaml:3: ttl: "2h": want min-ttl to max-ttl`},
		{"twice", "ttl: 5\nttl: 6\n", `c.yaml:2: ttl: given in line 1 already; keep one`},
		{"no value", "ttl:\n", `c.yaml:1: ttl: want one plain value`},
		{"mapping", "ttl: {a: b}\n", `c.yaml:1: ttl: want one plain value`},
		{"sequence", "ttl: [5]\n", `c.yaml:1: ttl: want one plain value`},
		{"alias", "host: &a x\nprefix: *a\n", `c.yaml:2: prefix: want one plain value`},
		{"list of mappings", "endpoints: [{a: b}]\n", `c.yaml:1: endpoints: want one or more words`},
		{"list as mapping", "endpoints: {a: b}\n", `c.yaml:1: endpoints: want one value or a sequence of them`},
		{"not a mapping", "- ttl\n", `c.yaml:1: want lines of the form KEY: VALUE`},
		{"two documents", "ttl: 5\n---\nttl: 6\n", `c.yaml: want one document`},
		{"not YAML", "ttl: 5\nhost: [a\n", `c.yaml:2: did not find expected`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(t, nil, "--config", write(t, "c.yaml", test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	file := write(t, "c.yaml", "margn: 1\nmax-waiters: none\n")
	_, err := load(t, []string{"LOCKSIDED_TTL=x"}, "--config", file, "--log-level", "y", "--prefix", "z")
	if err == nil {
		t.Fatal("no error")
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 5 {
		t.Errorf("want five lines, got:\n%v", err)
	}
}

func TestEmbeddedGoesWithNoOtherStore(t *testing.T) {
	_, err := load(t, nil, "--embedded", "--endpoints", "a:1", "--insecure-skip-tls-verify")
	for _, want := range []string{"--endpoints: \"a:1\": means nothing with embedded", "--insecure-skip-tls-verify:"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	c, err := load(t, nil, "--embedded", "--embedded-listen", "[::1]:0")
	if err != nil || !c.Embedded {
		t.Errorf("got %v", err)
	}
}
