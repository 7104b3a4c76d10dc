package man

import (
	"fmt"
	"strings"

	"lockside/daemon/config"
)

// settings describes every key of the configuration file.
func settings(sections []config.Section) string {
	var md strings.Builder
	for _, section := range sections {
		fmt.Fprintf(&md, "### %s\n\n", section.Title)
		for _, s := range section.Settings {
			fmt.Fprintf(&md, "`%s`\n: %s\n\n", s.Key+": "+form(s), escape(meaning(s)))
		}
	}
	return md.String()
}

// form is how the value of a setting is written in the file.
func form(s config.Setting) string {
	switch {
	case s.Arg == "":
		return "true|false"
	case s.List:
		return "[" + s.Arg + "]"
	}
	return s.Arg
}

func meaning(s config.Setting) string {
	text := s.Help
	if s.Default != "" {
		text += " (default " + s.Default + ")"
	}
	return text + "; also " + s.Variable()
}
