package register

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"lockside/fencing"
)

// web is the body of a URL, which is read by GET and written by PUT. The rest is as
// package httpguard has it.
type web struct {
	url    *url.URL
	before string // what was there before the drill
	absent bool   // nothing was
}

// The headers of requests that are fenced.
const (
	fenceHeader = "Lockside-Fence: "
	claimHeader = "Lockside-Claim: ?1"
)

// The answers that the drill tells apart, RFC 9110 and RFC 6585.
const (
	statusNotFound = 404
	statusConflict = 409 // and of these the one for another cluster
	statusStale    = 412 // Precondition Failed
	statusMissing  = 428 // Precondition Required
)

// A StatusError is an answer that is neither a success nor a refusal for being
// stale.
type StatusError struct {
	Method string
	Status int
	Body   string
}

// Nothing reports whether the answer says that nothing was done.
func (e *StatusError) Nothing() bool { return e.Status/100 == 4 }

func (e *StatusError) Error() string {
	if e.Status == statusMissing {
		return fmt.Sprintf("%s: the server answered 428: it asks for a fence", e.Method)
	}
	return fmt.Sprintf("%s: the server answered %d%s", e.Method, e.Status, firstLine(e.Body))
}

// request has curl do one. All of it goes by curl's standard input, so that no
// password is on a command line.
func (w *web) request(ctx context.Context, method string, t fencing.Token, lines ...string) (body string, err error) {
	config := []string{option("url", w.url.String()), option("request", method)}
	if !t.IsZero() {
		config = append(config, option("header", fenceHeader+t.String()))
	}
	output, err := w.curl().run(ctx, strings.Join(append(config, lines...), "\n"))
	if err != nil {
		return "", err
	}
	end := strings.LastIndexByte(output, '\n')
	status, err := strconv.Atoi(output[end+1:])
	if err != nil {
		return "", fmt.Errorf("read what curl wrote, %.60q: %w", output, err)
	}
	body = output[:max(end, 0)]
	switch {
	case status == statusStale, status == statusConflict && isCluster(body):
		return "", stale(t, body)
	case status < 200 || status > 299:
		return "", &StatusError{Method: method, Status: status, Body: body}
	}
	return body, nil
}

func (w *web) curl() program {
	return program{name: "curl", install: "curl", args: []string{"-sS", "--max-time", "10", "-w", `\n%{http_code}`, "-K", "-"}}
}

// option is a line of curl's configuration.
func option(name, value string) string {
	return name + ` = "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(value) + `"`
}

// isCluster reports whether a conflict is between clusters.
func isCluster(body string) bool {
	var told struct {
		Error string `json:"error"`
	}
	return json.Unmarshal([]byte(body), &told) == nil && told.Error == "cluster"
}

// stale is the refusal, with the greatest token if the answer tells it. Whoever
// answers in another form has refused it too.
func stale(t fencing.Token, body string) error {
	var told struct {
		Highest fencing.Token `json:"highest"`
	}
	if json.Unmarshal([]byte(body), &told) == nil {
		if _, err := (fencing.Watermark{Highest: told.Highest}).Admit(t); err != nil {
			return err
		}
	}
	return &fencing.StaleError{Token: t}
}

func (w *web) put(ctx context.Context, t fencing.Token, value string) error {
	_, err := w.request(ctx, "PUT", t, option("header", "Content-Type: text/plain"), option("data-raw", value))
	return err
}

// Make keeps what was there. The first fenced write replaces it: one without a
// fence would be refused.
func (w *web) Make(ctx context.Context, _ string) (err error) {
	w.before, err = w.request(ctx, "GET", fencing.Token{})
	if wrong, ok := err.(*StatusError); ok && wrong.Status == statusNotFound {
		w.absent, err = true, nil
	}
	return err
}

// Remove puts back what was there.
func (w *web) Remove(ctx context.Context, t fencing.Token) error {
	if w.absent {
		_, err := w.request(ctx, "DELETE", t)
		return err
	}
	return w.put(ctx, t, w.before)
}

func (w *web) Claim(ctx context.Context, t fencing.Token) error {
	_, err := w.request(ctx, "POST", t, option("header", claimHeader), option("data-raw", ""))
	return err
}

func (w *web) Read(ctx context.Context) (string, error) {
	body, err := w.request(ctx, "GET", fencing.Token{})
	if wrong, ok := err.(*StatusError); ok && wrong.Status == statusNotFound {
		return "", nil
	}
	return body, err
}

func (w *web) Write(ctx context.Context, t fencing.Token, value string) error {
	return w.put(ctx, t, value)
}

func (w *web) Place() string { return w.url.Redacted() }

func (w *web) Recipe() string {
	return `# The claim, before anything is read:
curl --fail-with-body -X POST -H "Lockside-Fence: $LOCKSIDE_FENCE@$LOCKSIDE_CLUSTER" -H 'Lockside-Claim: ?1' URL
# The write. 412 is the answer to a stale one, 428 to one without a fence:
curl --fail-with-body -H "Lockside-Fence: $LOCKSIDE_FENCE@$LOCKSIDE_CLUSTER" -X PUT --data-binary TEXT URL
`
}
