package idempotency

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"lockside/fencing"
)

// ErrDuplicate is for a step that has been done.
var ErrDuplicate = errors.New("the step has been done")

// A State is what a receiver keeps of a name. The zero State is that of a name
// which nobody has heard of.
type State struct {
	fencing.Watermark

	// Through is the step up to which all were done, of the watermark's token.
	Through int64

	// Beyond are the steps after it that were done, in order.
	Beyond []int64
}

// raise is the state once a token was seen: without steps, if it is a new one.
func (s State) raise(t fencing.Token) (State, error) {
	next, err := s.Admit(t)
	if err != nil || next == s.Watermark {
		return s, err
	}
	return State{Watermark: next}, nil
}

// raiseOnce is raise for a token that was not seen before.
func (s State) raiseOnce(t fencing.Token) (State, error) {
	if _, err := s.AdmitOnce(t); err != nil {
		return s, err
	}
	return s.raise(t)
}

// done is the state once a step of its token is done, or [ErrDuplicate].
func (s State) done(step int64) (State, error) {
	at, found := slices.BinarySearch(s.Beyond, step)
	if found || step <= s.Through {
		return s, fmt.Errorf("%w: %d with %v", ErrDuplicate, step, s.Highest)
	}
	s.Beyond = slices.Insert(slices.Clone(s.Beyond), at, step)
	for len(s.Beyond) > 0 && s.Beyond[0] == s.Through+1 {
		s.Through++
		s.Beyond = s.Beyond[1:]
	}
	return s, nil
}

// equal reports whether there is nothing to keep of what was done.
func (s State) equal(other State) bool {
	return s.Watermark == other.Watermark && s.Through == other.Through && slices.Equal(s.Beyond, other.Beyond)
}

// stateJSON is a State as it is kept.
type stateJSON struct {
	Highest fencing.Token `json:"highest"`
	Through int64         `json:"through"`
	Beyond  []int64       `json:"beyond,omitempty"`
}

// MarshalJSON is for stores that keep text. The error is that of a State whose
// watermark has seen no token.
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stateJSON{s.Highest, s.Through, s.Beyond})
}

// UnmarshalJSON reads what MarshalJSON gave.
func (s *State) UnmarshalJSON(text []byte) error {
	var kept stateJSON
	if err := json.Unmarshal(text, &kept); err != nil {
		return err
	}
	if err := kept.Highest.Check(); err != nil || kept.Through < 0 || !slices.IsSorted(kept.Beyond) {
		return fmt.Errorf("%.200q was not written by this package", text)
	}
	*s = State{fencing.Watermark{Highest: kept.Highest}, kept.Through, kept.Beyond}
	return nil
}
