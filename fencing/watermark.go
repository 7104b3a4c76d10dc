package fencing

// A Watermark is the greatest token that a resource has seen. The zero Watermark
// has seen none.
//
// It is the rule, for guards that keep it themselves under a lock of their own,
// and for those that ask what made a database refuse. To keep it, and in one step
// with the write, is up to the guard.
type Watermark struct{ Highest Token }

// Admit is the watermark once a claim, or one write of several, has come with a
// token: the token, where it is no lower than what was seen. Else the watermark
// stays as it is, and the error is [ErrStale], [ErrCluster] or [ErrToken].
func (w Watermark) Admit(t Token) (Watermark, error) {
	if err := t.Check(); err != nil {
		return w, err
	}
	if w.Highest.IsZero() {
		return Watermark{t}, nil
	}
	order, err := t.Compare(w.Highest)
	switch {
	case err != nil:
		return w, err
	case order < 0:
		return w, &StaleError{Token: t, Highest: w.Highest}
	}
	return Watermark{t}, nil
}

// AdmitOnce is Admit for the one write of a grant: a token that was seen before
// is [ErrSpent].
func (w Watermark) AdmitOnce(t Token) (Watermark, error) {
	next, err := w.Admit(t)
	if err == nil && t == w.Highest {
		return w, &SpentError{Token: t}
	}
	return next, err
}
