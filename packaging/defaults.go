package main

import (
	"fmt"
	"strings"

	"lockside/daemon/config"
)

const aboutConfig = `# Settings of locksided(8); lockside.yaml(5) says more about the file.
#
# Each setting is there with its default, or with what it stands for. Take the
# mark before it away to change it. Then
#
#     locksided check --config /etc/lockside/lockside.yaml
#
# says what is wrong with it, or ok, and "systemctl reload lockside" applies it
# without dropping a lock. The units lockside.socket and lockside.service settle
# where the socket and the state are, and who may connect.
`

// defaultConfig is a configuration file in which everything is a comment, so that
// an upgrade may replace it where nobody has changed it, and what the default is
// of a setting is always that of the program.
func defaultConfig() string {
	var b strings.Builder
	b.WriteString(aboutConfig)
	for _, section := range config.Describe(config.Process{Host: "NAME"}) {
		fmt.Fprintf(&b, "\n\n## %s\n", section.Title)
		for _, s := range section.Settings {
			fmt.Fprintf(&b, "\n# %s\n#%s: %s\n", s.Help, s.Key, example(s))
		}
	}
	return b.String()
}

// example is the value of a setting as the file would have it.
func example(s config.Setting) string {
	value := s.Default
	switch {
	case value == "" && s.Arg == "":
		return "false"
	case value == "":
		return s.Arg
	case s.List:
		return "[" + strings.ReplaceAll(value, ",", ", ") + "]"
	}
	return value
}
