package drill

import (
	"errors"

	"lockside/cmd/lockside/drill/register"
	"lockside/fencing"
	"lockside/ipc"
)

// A failure is an error on its way from a holder to the drill: its words, and what
// the drill has to know of it. It is the error at the other end, too.
type failure struct {
	Text    string
	Stale   bool          `json:",omitzero"` // the resource refused the token
	Highest fencing.Token `json:",omitzero"` // what it has seen, if it says so
	Answer  bool          `json:",omitzero"` // the resource answered, but something else
	Nothing bool          `json:",omitzero"` // and it has done nothing
	Code    ipc.Code      `json:",omitzero"` // of the daemon's reply
}

func newFailure(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error(), Stale: errors.Is(err, fencing.ErrStale)}
	if stale, ok := errors.AsType[*fencing.StaleError](err); ok {
		f.Highest = stale.Highest
	}
	if wrong, ok := errors.AsType[*register.StatusError](err); ok {
		f.Answer, f.Nothing = true, wrong.Nothing()
	}
	f.Answer = f.Answer || errors.Is(err, fencing.ErrCluster)
	if answer, ok := errors.AsType[*ipc.Error](err); ok {
		f.Code = answer.Code
	}
	return f
}

func (f *failure) Error() string { return f.Text }

// ErrAnswer is for an answer of the resource that is neither a success nor the
// refusal of a stale token, where one of these was due.
var ErrAnswer = errors.New("the resource answered what it should not")

// Unwrap is the sentinel that the error was before its way.
func (f *failure) Unwrap() error {
	switch {
	case f.Stale:
		return fencing.ErrStale
	case f.Answer:
		return ErrAnswer
	case f.Code != "":
		return &ipc.Error{Code: f.Code}
	}
	return nil
}
