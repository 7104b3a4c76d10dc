package man

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"lockside/cmd/lockside/cli"
	"lockside/daemon/config"
)

// manual is the pages by their file's name.
func manual(t *testing.T) map[string]string {
	t.Helper()
	documents, err := ReadDocuments("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := Pages(Edition{"v1.2.3", time.Unix(1e9, 0)}, documents)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, p := range pages {
		all[p.File()] = string(p.Text)
	}
	return all
}

// has fails for each text that a page lacks.
func has(t *testing.T, page, name string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%s lacks %q", name, text)
		}
	}
}

func TestEverySettingIsThere(t *testing.T) {
	pages := manual(t)
	for _, section := range config.Describe(system()) {
		for _, s := range section.Settings {
			has(t, pages["locksided.8"], "locksided.8", `\fB--`+strings.TrimSpace(s.Key+" "+s.Arg)+`\fR`)
			has(t, pages["lockside.yaml.5"], "lockside.yaml.5", `\fB`+s.Key+": ", s.Variable())
		}
	}
}

func TestEveryCommandIsThere(t *testing.T) {
	page := manual(t)["lockside.1"]
	flag := func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "version" {
			has(t, page, "lockside.1", "--"+f.Name)
		}
	}
	visible := 0
	for _, c := range cli.Commands().Commands() {
		if !c.Hidden {
			visible++
			has(t, page, "lockside.1", c.UseLine())
			c.Flags().VisitAll(flag)
		}
	}
	if visible < 8 {
		t.Errorf("only %d commands", visible)
	}
	has(t, page, "lockside.1", `\fB75\fR`, "not granted in time")
	if strings.Contains(page, "guard") {
		t.Error("lockside.1 tells of a hidden command")
	}
}

func TestEverySectionOfTheDocumentsIsThere(t *testing.T) {
	pages := manual(t)
	documents, err := ReadDocuments("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"lockside-protocol.7": documents.Protocol, "lockside-fencing.7": documents.Fences} {
		for _, heading := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(text, -1) {
			has(t, pages[name], name, ".SH "+strings.ToUpper(heading[1])+"\n")
		}
		for _, heading := range regexp.MustCompile(`(?m)^### (.*)$`).FindAllStringSubmatch(text, -1) {
			has(t, pages[name], name, ".SS "+heading[1]+"\n")
		}
	}
	for _, word := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(documents.Protocol, -1) {
		has(t, pages["lockside-protocol.7"], "lockside-protocol.7", "\n.TP\n\\fB"+word[1]+"\\fR\n")
	}
}

// TestNothingOfMarkdownIsLeft holds that all of it was understood.
func TestNothingOfMarkdownIsLeft(t *testing.T) {
	for name, page := range manual(t) {
		if found := regexp.MustCompile("(?m)^.*(\\]\\(|```|\\*\\*|^\\||^#+ [A-Z]{2}|^: ).*$").FindString(page); found != "" {
			t.Errorf("%s: %q", name, found)
		}
		if !strings.Contains(page, `"2001-09-09" "lockside v1.2.3"`) {
			t.Errorf("%s lacks its edition", name)
		}
	}
}

// TestMandoc asks the strictest reader of manuals there is, if it is installed.
func TestMandoc(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("mandoc is not installed")
	}
	for name, page := range manual(t) {
		lint := exec.CommandContext(t.Context(), mandoc, "-T", "lint", "-W", "warning")
		lint.Stdin = strings.NewReader(page)
		if out, err := lint.CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestFromHelp(t *testing.T) {
	for _, test := range []struct{ name, help, want string }{
		{"prose", "It is a_b.\nTwo lines.", "It is a\\_b.\nTwo lines.\n\n"},
		{"items", "Exit codes:\n  0   good\n  64  bad", "# EXIT CODES\n\n`0`\n: good\n\n`64`\n: bad\n\n"},
		{"long items", "Signals:\n  HUP   go on\n        elsewhere\n  TERM  end", "# SIGNALS\n\n`HUP`\n: go on elsewhere\n\n`TERM`\n: end\n\n"},
		{"example", "Examples:\n  # Why.\n  lockside x", "# EXAMPLES\n\n```\n# Why.\nlockside x\n```\n\n"},
		{"indented prose", "Settings:\n  Each is\n  one.", "# SETTINGS\n\nEach is\none.\n\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := fromHelp(test.help); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
