package config

import (
	"errors"
	"fmt"
	"os/user"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// maxSocketPath is what sockaddr_un holds besides its final NUL, unix(7).
	maxSocketPath = 107
	// maxHost is the longest domain name, RFC 1035.
	maxHost = 255
)

// check reports every setting whose value is of the right form but wrong in
// itself, or beside another.
func (l *loader) check() {
	l.checkSocket()
	l.checkStore()
	l.checkNames()
	l.checkLeases()
	if f := l.config.LogFormat; f != "text" && f != "json" {
		l.failAt("log-format", errors.New("want text or json"))
	}
}

func (l *loader) checkSocket() {
	if err := checkSocketPath(l.config.Socket); err != nil {
		l.failAt("socket", err)
	}
	if err := checkGroup(l.config.SocketGroup); err != nil {
		l.failAt("socket-group", err)
	}
}

func checkSocketPath(path string) error {
	switch {
	case path == "":
		return errors.New("want a path; there is no default without $XDG_RUNTIME_DIR or $HOME")
	case strings.HasPrefix(path, "@"), strings.ContainsRune(path, 0):
		return errors.New("want a path; abstract sockets have no permissions")
	case len(path) > maxSocketPath:
		return fmt.Errorf("want at most %d bytes, the kernel's limit for a socket; this has %d", maxSocketPath, len(path))
	}
	return nil
}

func checkGroup(group string) error {
	if _, err := strconv.ParseUint(group, 10, 32); err == nil || group == "" {
		return nil
	}
	if _, err := user.LookupGroup(group); err != nil {
		return errors.New("want a group of this host or its number")
	}
	return nil
}

func (l *loader) checkNames() {
	if err := checkPrefix(l.config.Prefix); err != nil {
		l.failAt("prefix", err)
	}
	if h := l.config.Host; h == "" || len(h) > maxHost || !printable(h) {
		l.failAt("host", fmt.Errorf("want 1 to %d bytes of printable text", maxHost))
	}
	if l.config.StateDir == "" {
		l.failAt("state-dir", errors.New("want a directory; there is no default without $XDG_STATE_HOME or $HOME"))
	}
}

func checkPrefix(prefix string) error {
	if len(prefix) < 2 || !strings.HasSuffix(prefix, "/") || !printable(prefix) {
		return errors.New("want printable text that ends in a slash, such as lockside/")
	}
	return nil
}

func printable(s string) bool {
	unprintable := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	return !strings.ContainsFunc(s, unprintable)
}

func (l *loader) checkLeases() {
	c := l.config
	for _, key := range []string{"ttl", "min-ttl", "max-ttl"} {
		o, _ := l.option(key)
		if d := time.Duration(*o.value.(*duration)); d < time.Second || d%time.Second != 0 {
			l.failAt(key, errors.New("want whole seconds, as etcd grants them"))
		}
	}
	if c.MinTTL > c.MaxTTL {
		l.failAt("min-ttl", fmt.Errorf("want at most max-ttl, which is %s", short(c.MaxTTL)))
	} else if c.TTL < c.MinTTL || c.TTL > c.MaxTTL {
		l.failAt("ttl", fmt.Errorf("want min-ttl to max-ttl, which is %s to %s", short(c.MinTTL), short(c.MaxTTL)))
	}
	l.checkMargin()
}

// checkMargin wants more of every lease outside the margin than inside, since
// a session that could be granted nothing would be of no use.
func (l *loader) checkMargin() {
	c := l.config
	switch margin := c.MarginOf(c.MinTTL); {
	case 2*margin < c.MinTTL:
	case l.given("margin"):
		l.failAt("margin", fmt.Errorf("want less than half of min-ttl, which is %s", short(c.MinTTL)))
	default:
		l.failAt("min-ttl", fmt.Errorf("want more than twice the margin, which is %s", short(margin)))
	}
}
