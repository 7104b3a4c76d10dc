package httpguard

import (
	"bytes"
	"maps"
	"net/http"
)

// An answer is what a handler answers, kept until the resource is let go.
type answer struct {
	header http.Header
	sent   http.Header // as it was when the status was told
	status int
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: http.Header{}, status: http.StatusOK} }

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.sent != nil || status < http.StatusOK {
		return // the first one counts, and a client that waits needs no news
	}
	a.status, a.sent = status, a.header.Clone()
}

func (a *answer) Write(data []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(data)
}

// send sends it. The handler's headers go before those that are there.
func (a *answer) send(w http.ResponseWriter) {
	a.WriteHeader(http.StatusOK)
	vary := w.Header().Values("Vary")
	maps.Copy(w.Header(), a.sent)
	if len(a.sent.Values("Vary")) > 0 {
		w.Header()["Vary"] = append(vary, a.sent.Values("Vary")...)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes()) // a client that is gone needs none
}
