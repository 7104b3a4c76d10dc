package registertest

import (
	"io"
	"net/http"
	"sync"

	"lockside/fencing/httpguard"
)

// A Page is a text that GET reads and PUT writes, and nobody checks. A claim it
// takes for a request that it has nothing to do for.
type Page struct {
	mu   sync.Mutex // guards what follows
	text string
}

// NewPage is a page with a text.
func NewPage(text string) *Page { return &Page{text: text} }

// Text is what there is.
func (p *Page) Text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

// ServeHTTP implements [http.Handler].
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch body, err := io.ReadAll(r.Body); {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case r.Method == http.MethodPut:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.text = string(body)
	case r.Method == http.MethodGet:
		_, _ = io.WriteString(w, p.Text())
	}
}

// Guarded is the page behind a check of fences.
func (p *Page) Guarded() http.Handler {
	guard := httpguard.Guard{
		Store: httpguard.Memory(),
		Name:  func(r *http.Request) (string, error) { return r.URL.Path, nil },
	}
	return guard.Handler(p)
}
