package config

import "strings"

// Setting describes one setting, for help texts and manuals.
type Setting struct {
	// Key is its name in the file, and as a flag behind two dashes.
	Key string
	// Arg is what its value is called, empty for what is true or false.
	Arg string
	// Help says in a few words what it is, without a period.
	Help string
	// Default is written as in the file. It is empty where it says nothing,
	// such as false or an empty text.
	Default string
	// List is whether the value may be a sequence.
	List bool
}

// Section is the settings of one kind, under a title.
type Section struct {
	Title    string
	Settings []Setting
}

// Describe tells of every setting, with its default on a process.
func Describe(p Process) []Section {
	c := defaults(p)
	var all []Section
	for _, s := range c.sections() {
		described := Section{Title: s.title}
		for _, o := range s.options {
			described.Settings = append(described.Settings, o.describe())
		}
		all = append(all, described)
	}
	return all
}

func (o option) describe() Setting {
	_, isList := o.value.(*list)
	s := Setting{Key: o.key, Arg: o.arg, Help: o.help, Default: o.value.String(), List: isList}
	if s.Default == "false" || s.Default == "0s" {
		s.Default = ""
	}
	return s
}

// Variable is the setting's name in the environment.
func (s Setting) Variable() string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(s.Key, "-", "_"))
}
