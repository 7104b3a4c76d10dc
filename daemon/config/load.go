package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Load puts the configuration together: defaults, then the file that --config
// or LOCKSIDED_CONFIG names, then the environment, then the flags that
// [AddFlags] defined on set. A variable set to nothing counts as not set.
//
// The error joins a [*Problem] for everything that is wrong, and the files
// that the configuration names have been read when it is nil.
func Load(set *pflag.FlagSet, p Process) (Config, error) {
	l := newLoader(p)
	l.readFile(l.path(set))
	l.readEnvironment()
	l.readFlags(set)
	l.findCredentials()
	l.takePassword()
	l.check()
	if len(l.problems) > 0 {
		return Config{}, errors.Join(l.problems...)
	}
	return *l.config, nil
}

// loader collects the settings of every source, later ones over earlier ones.
type loader struct {
	process  Process
	config   *Config
	options  []option
	origins  map[string]string // where each setting that was given came from
	problems []error
}

func newLoader(p Process) *loader {
	c := new(defaults(p))
	return &loader{
		process: p,
		config:  c,
		options: c.options(),
		origins: make(map[string]string),
	}
}

// path is the configuration file's, empty without one.
func (l *loader) path(set *pflag.FlagSet) string {
	if f := set.Lookup(configFlag); f != nil && f.Changed {
		return f.Value.String()
	}
	return l.process.variable(configVariable)
}

func (l *loader) readEnvironment() {
	for _, pair := range l.process.Environ {
		name, written, _ := strings.Cut(pair, "=")
		word, ours := strings.CutPrefix(name, variablePrefix)
		if !ours || name == configVariable || written == "" {
			continue
		}
		key := strings.ToLower(strings.ReplaceAll(word, "_", "-"))
		l.set(key, name, written)
	}
}

func (l *loader) readFlags(set *pflag.FlagSet) {
	set.Visit(func(f *pflag.Flag) {
		if given, ok := f.Value.(*flag); ok {
			l.set(f.Name, "--"+f.Name, given.given)
		}
	})
}

// set gives one setting its value and remembers where it came from.
func (l *loader) set(key, where, written string) {
	o, known := l.option(key)
	if !known {
		l.fail(where, "", unknown(key, l.keys()))
		return
	}
	l.origins[key] = where
	if err := o.value.Set(written); err != nil {
		l.fail(where, written, err)
	}
}

func (l *loader) option(key string) (option, bool) {
	i := slices.IndexFunc(l.options, func(o option) bool { return o.key == key })
	if i < 0 {
		return option{}, false
	}
	return l.options[i], true
}

func (l *loader) keys() []string {
	keys := make([]string, len(l.options))
	for i, o := range l.options {
		keys[i] = o.key
	}
	return keys
}

func (l *loader) given(key string) bool { return l.origins[key] != "" }

func (l *loader) fail(where, value string, err error) {
	l.problems = append(l.problems, &Problem{where, value, err})
}

// failAt reports a problem of a setting by where its value came from.
func (l *loader) failAt(key string, err error) {
	where := key
	if l.given(key) {
		where = l.origins[key]
	}
	shown := ""
	if o, ok := l.option(key); ok {
		shown = o.value.String()
	}
	l.fail(where, shown, err)
}
