package man

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands describes a program: its own flags, and each command with what its
// help says.
func commands(root *cobra.Command) string {
	var md strings.Builder
	md.WriteString(fromHelp(root.Long))
	md.WriteString("# OPTIONS\n\n")
	writeFlags(&md, root.PersistentFlags())
	md.WriteString("# COMMANDS\n\n")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			writeCommand(&md, c)
		}
	}
	md.WriteString("# EXAMPLES\n\n```\n" + unindent(root.Example) + "\n```\n\n")
	return md.String()
}

func writeCommand(md *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(md, "### %s\n\n", c.UseLine())
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	md.WriteString(strings.ReplaceAll(fromHelp(text), "# EXIT CODES", "**Exit codes:**"))
	if c.Example != "" { // It would belong to the last item, were there no text between.
		md.WriteString("For example:\n\n```\n" + unindent(c.Example) + "\n```\n\n")
	}
	writeFlags(md, c.LocalNonPersistentFlags())
}

func writeFlags(md *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		arg, usage := pflag.UnquoteUsage(f)
		term := strings.TrimSpace("--" + f.Name + " " + arg)
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + ", " + term
		}
		if saysSomething(f.DefValue) && !strings.Contains(usage, "(default ") {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(md, "`%s`\n: %s\n\n", term, escape(usage))
	})
}

// saysSomething is false of a default that is no value.
func saysSomething(value string) bool { return value != "" && value != "false" && value != "0" }
