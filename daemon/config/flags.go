package config

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

const (
	configFlag     = "config"
	configVariable = "LOCKSIDED_CONFIG"
	variablePrefix = "LOCKSIDED_"
)

// flag keeps what a command line says until [Load] has read the file and the
// environment, which the command line must beat. A list given twice is one
// longer list.
type flag struct {
	option
	given string
}

func (f *flag) Set(s string) error {
	if _, isList := f.value.(*list); isList && f.given != "" {
		s = f.given + "," + s
	}
	f.given = s
	return nil
}

func (f *flag) String() string { return f.given }
func (f *flag) Type() string   { return f.arg }

// AddFlags defines --config and the flag of every setting. [Load] reads them
// after the command line is parsed.
func AddFlags(set *pflag.FlagSet) {
	set.String(configFlag, "", "YAML file of settings")
	for _, o := range new(Config).options() {
		f := set.VarPF(&flag{option: o}, o.key, "", o.help)
		if _, isTruth := o.value.(*truth); isTruth {
			f.NoOptDefVal = "true"
		}
	}
}

// Help describes every setting with its default on this process, one section
// for each kind.
func Help(p Process) string {
	c := defaults(p)
	var b strings.Builder
	for _, s := range c.sections() {
		fmt.Fprintf(&b, "%s:\n", s.title)
		for _, o := range s.options {
			o.describe(&b)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// describe writes the help of one setting. A default that says nothing, such
// as false or an empty text, is left out.
func (o option) describe(b *strings.Builder) {
	name := strings.TrimSpace("--" + o.key + " " + o.arg)
	fmt.Fprintf(b, "  %-28s %s", name, o.help)
	switch def := o.value.String(); def {
	case "", "false", "0s":
	default:
		fmt.Fprintf(b, " (default %s)", def)
	}
	b.WriteByte('\n')
}
