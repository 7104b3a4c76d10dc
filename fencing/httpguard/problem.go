package httpguard

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"lockside/fencing"
)

// problemType is the media type of RFC 9457.
const problemType = "application/problem+json"

// A problem is the body of a refusal. It has no type, which means that its title
// is that of the status; Word is what tells refusals apart.
type problem struct {
	Title   string         `json:"title"`
	Status  int            `json:"status"`
	Detail  string         `json:"detail,omitempty"`
	Word    string         `json:"error"`
	Token   *fencing.Token `json:"token,omitempty"`
	Highest *fencing.Token `json:"highest,omitempty"`
}

// Refuse answers a request with an error: those of package fencing and of this one
// as the package says, and any other with 500 and the word internal. What another
// one says is not the client's to know, and is left out.
func Refuse(w http.ResponseWriter, err error) {
	p := problemOf(err)
	p.Title = http.StatusText(p.Status)
	header := w.Header()
	header.Del(FenceHeader)
	header.Set("Content-Type", problemType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // a client that is gone needs none
}

func problemOf(err error) problem {
	if stale, ok := errors.AsType[*fencing.StaleError](err); ok {
		return problem{Status: http.StatusPreconditionFailed, Word: "stale", Detail: stale.Error(), Token: told(stale.Token), Highest: told(stale.Highest)}
	}
	if spent, ok := errors.AsType[*fencing.SpentError](err); ok {
		return problem{Status: http.StatusConflict, Word: "spent", Detail: spent.Error(), Token: told(spent.Token)}
	}
	if other, ok := errors.AsType[*fencing.ClusterError](err); ok {
		return problem{Status: http.StatusConflict, Word: "cluster", Detail: other.Error(), Token: told(other.Token), Highest: told(other.Highest)}
	}
	tooLarge, ok := errors.AsType[*http.MaxBytesError](err)
	switch {
	case ok:
		return problem{Status: http.StatusRequestEntityTooLarge, Word: "too-large", Detail: tooLarge.Error()}
	case errors.Is(err, ErrMissing):
		return problem{Status: http.StatusPreconditionRequired, Word: "missing", Detail: ErrMissing.Error()}
	case errors.Is(err, fencing.ErrStale): // of a guard that tells no more
		return problem{Status: http.StatusPreconditionFailed, Word: "stale", Detail: fencing.ErrStale.Error()}
	case errors.Is(err, fencing.ErrToken):
		return problem{Status: http.StatusBadRequest, Word: "token", Detail: err.Error()}
	case errors.Is(err, fencing.ErrUnknown):
		return problem{Status: http.StatusNotFound, Word: "unknown", Detail: fencing.ErrUnknown.Error()}
	case errors.Is(err, ErrUnfinished):
		return problem{Status: http.StatusConflict, Word: "unfinished", Detail: ErrUnfinished.Error()}
	case errors.Is(err, errAsk):
		return problem{Status: http.StatusBadRequest, Word: "request", Detail: err.Error()}
	}
	return problem{Status: http.StatusInternalServerError, Word: "internal"}
}

// told is a token where there is one.
func told(t fencing.Token) *fencing.Token {
	if t.Check() != nil {
		return nil
	}
	return &t
}

// readProblem reads what Refuse answered to a token; the error is nil for all
// else. What a refusal tells of tokens may be missing, but not be wrong.
func readProblem(status int, contentType string, body []byte, sent fencing.Token) error {
	var p problem
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != problemType {
		return nil
	}
	if err := json.Unmarshal(body, &p); err != nil || p.Token != nil && *p.Token != sent {
		return nil
	}
	var highest fencing.Token
	if p.Highest != nil {
		highest = *p.Highest
	}
	switch fmt.Sprint(status, " ", p.Word) {
	case "412 stale":
		return &fencing.StaleError{Token: sent, Highest: highest}
	case "409 spent":
		return &fencing.SpentError{Token: sent}
	case "409 cluster":
		return &fencing.ClusterError{Token: sent, Highest: highest}
	case "409 unfinished":
		return ErrUnfinished
	case "400 token":
		return fmt.Errorf("%w: %.200s", fencing.ErrToken, p.Detail)
	case "404 unknown":
		return fencing.ErrUnknown
	case "428 missing":
		return ErrMissing
	}
	return nil
}
