package man

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"

	"lockside/cmd/lockside/cli"
	"lockside/cmd/locksided/help"
	"lockside/daemon/config"
)

//go:embed pages
var pages embed.FS

// Edition is what the foot of each page tells.
type Edition struct {
	Version string
	Date    time.Time
}

// Page is one page of the manual.
type Page struct {
	Name    string
	Section int
	// Text is in the language of man(7).
	Text []byte
}

// File is the name under which man(1) looks for the page.
func (p Page) File() string { return fmt.Sprintf("%s.%d", p.Name, p.Section) }

// Documents are texts of the repository that are pages of the manual too.
type Documents struct {
	Protocol string // ipc/PROTOCOL.md
	Fences   string // fencing/README.md
}

// ReadDocuments reads them in a repository.
func ReadDocuments(root string) (Documents, error) {
	protocol, err := os.ReadFile(filepath.Join(root, "ipc", "PROTOCOL.md"))
	if err != nil {
		return Documents{}, err
	}
	fences, err := os.ReadFile(filepath.Join(root, "fencing", "README.md"))
	return Documents{string(protocol), string(fences)}, err
}

// Pages writes the manual.
func Pages(e Edition, documents Documents) ([]Page, error) {
	parts := map[string]func() string{
		"daemon":   func() string { return fromHelp(help.Page(system())) },
		"command":  func() string { return commands(cli.Commands()) },
		"settings": func() string { return settings(config.Describe(system())) },
		"protocol": func() string { return fromDocument(documents.Protocol) },
		"fences":   func() string { return fromDocument(documents.Fences) },
	}
	all := []Page{
		{Name: "lockside", Section: 1},
		{Name: "lockside.yaml", Section: 5},
		{Name: "lockside-fencing", Section: 7},
		{Name: "lockside-protocol", Section: 7},
		{Name: "locksided", Section: 8},
	}
	for i := range all {
		if err := all[i].write(e, parts); err != nil {
			return nil, fmt.Errorf("write manual %s: %w", all[i].File(), err)
		}
	}
	return all, nil
}

// system is the process whose defaults the manual tells of: root's, of any host.
func system() config.Process { return config.Process{Host: "the host's name"} }

func (p *Page) write(e Edition, parts map[string]func() string) error {
	text, err := pages.ReadFile("pages/" + p.File() + ".md")
	if err != nil {
		return err
	}
	functions := template.FuncMap{}
	for name, part := range parts {
		functions[name] = part
	}
	holes, err := template.New(p.File()).Funcs(functions).Parse(string(text))
	if err != nil {
		return err
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "%% \"%s\" \"%d\" \"%s\" \"lockside %s\" \"lockside's manual\"\n\n",
		p.Name, p.Section, e.Date.UTC().Format(time.DateOnly), e.Version)
	if err := holes.Execute(&page, nil); err != nil {
		return err
	}
	p.Text = md2man.Render(page.Bytes())
	return nil
}
