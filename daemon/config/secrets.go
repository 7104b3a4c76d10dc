package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// findCredentials turns the name of a systemd credential into its file. A name
// without a slash is looked for in $CREDENTIALS_DIRECTORY first,
// systemd.exec(5).
func (l *loader) findCredentials() {
	dir := l.process.variable("CREDENTIALS_DIRECTORY")
	if dir == "" {
		return
	}
	c := l.config
	for _, file := range []*string{&c.CACert, &c.Cert, &c.Key, &c.PasswordFile} {
		credential := filepath.Join(dir, *file)
		if *file == "" || strings.Contains(*file, "/") {
			continue
		}
		if _, err := os.Stat(credential); err == nil {
			*file = credential
		}
	}
}

// takePassword moves the password from where it was given to Password, and
// leaves the bare name in User.
func (l *loader) takePassword() {
	c := l.config
	name, inUser, both := strings.Cut(c.User, ":")
	given := 0
	for _, is := range []bool{both, l.given("password"), l.given("password-file")} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		l.failAt("password", errors.New("given twice; keep one of user NAME:PASSWORD, password, password-file"))
	case given > 0 && name == "":
		l.failAt("user", errors.New("want the name that the password belongs to"))
	case given == 0 && name != "":
		l.failAt("user", errors.New("want a password too, best by password-file"))
	}
	c.User = name
	if both {
		c.Password = inUser
	}
	if c.PasswordFile != "" {
		l.readPassword()
	}
}

func (l *loader) readPassword() {
	data, err := os.ReadFile(l.config.PasswordFile)
	if err != nil {
		l.failAt("password-file", err)
		return
	}
	first, _, _ := strings.Cut(string(data), "\n")
	if first = strings.TrimSuffix(first, "\r"); first == "" {
		l.failAt("password-file", errors.New("want the password in its first line"))
	}
	l.config.Password = first
}
