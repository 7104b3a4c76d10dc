package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"
)

// value is a setting in its written form. Set's error says what is wanted.
type value interface {
	Set(written string) error
	String() string
}

// text is taken as it is.
type text string

func (v *text) Set(s string) error { *v = text(s); return nil }
func (v *text) String() string     { return string(*v) }

// secret is text that no message and no help repeats.
type secret string

func (v *secret) Set(s string) error { *v = secret(s); return nil }
func (v *secret) String() string     { return "" }

// login is NAME or NAME:PASSWORD, of which only the name is repeated.
type login string

func (v *login) Set(s string) error { *v = login(s); return nil }

func (v *login) String() string {
	name, _, _ := strings.Cut(string(*v), ":")
	return name
}

// list is words between commas.
type list []string

func (v *list) Set(s string) error {
	var words []string
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word == "" {
			return errors.New("want one or more words between commas")
		}
		words = append(words, word)
	}
	*v = words
	return nil
}

func (v *list) String() string { return strings.Join(*v, ",") }

// truth is true or false.
type truth bool

func (v *truth) Set(s string) error {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return errors.New("want true or false")
	}
	*v = truth(b)
	return nil
}

func (v *truth) String() string { return strconv.FormatBool(bool(*v)) }

// count is a number from one up.
type count int

func (v *count) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("want a whole number from 1 to %d", math.MaxInt32)
	}
	*v = count(n)
	return nil
}

func (v *count) String() string { return strconv.Itoa(int(*v)) }

// duration is written as in the protocol: 250ms, 1.5s, 2m, or bare seconds.
type duration time.Duration

func (v *duration) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		d, err = time.ParseDuration(s + "s")
	}
	if err != nil || d < 0 {
		return errors.New("want a duration such as 250ms, 1.5s, 2m, or a number of seconds")
	}
	*v = duration(d)
	return nil
}

func (v *duration) String() string { return short(time.Duration(*v)) }

// short writes a duration without the zeros at its end: 1h, not 1h0m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// mode is permission bits in octal.
type mode fs.FileMode

func (v *mode) Set(s string) error {
	bits, err := strconv.ParseUint(strings.TrimPrefix(s, "0o"), 8, 32)
	if err != nil || bits > uint64(fs.ModePerm) {
		return errors.New("want octal permissions from 0000 to 0777")
	}
	*v = mode(bits)
	return nil
}

func (v *mode) String() string { return fmt.Sprintf("%04o", uint32(*v)) }

// level is a level of package slog.
type level slog.Level

func (v *level) Set(s string) error {
	switch strings.ToLower(s) {
	case "debug", "info", "warn", "error":
		return (*slog.Level)(v).UnmarshalText([]byte(s))
	}
	return errors.New("want debug, info, warn or error")
}

func (v *level) String() string { return strings.ToLower(slog.Level(*v).String()) }
