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
	var b strings.Builder
	for _, section := range Describe(p) {
		fmt.Fprintf(&b, "%s:\n", section.Title)
		for _, s := range section.Settings {
			s.help(&b)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// help writes the line of one setting.
func (s Setting) help(b *strings.Builder) {
	name := strings.TrimSpace("--" + s.Key + " " + s.Arg)
	fmt.Fprintf(b, "  %-28s %s", name, s.Help)
	if s.Default != "" {
		fmt.Fprintf(b, " (default %s)", s.Default)
	}
	b.WriteByte('\n')
}
