package sqlguard

import (
	"errors"
	"fmt"
	"testing"

	"lockside/fencing"
)

const cluster fencing.Cluster = 0xcdf818194e3a8c32

func token(fence int64) fencing.Token { return fencing.Token{Cluster: cluster, Fence: fence} }

// coded is an error as pgx and pq have it.
type coded struct{ state, text string }

func (e coded) Error() string    { return e.text }
func (e coded) SQLState() string { return e.state }

func TestRefusal(t *testing.T) {
	own := token(9)
	for _, test := range []struct {
		name    string
		err     error
		want    error // nil for the error itself
		highest fencing.Token
	}{
		{"pgx", coded{stateStale, "ERROR: " + messageStale + token(10).String() + " (SQLSTATE LF001)"}, fencing.ErrStale, token(10)},
		{"pq", coded{stateStale, "pq: " + messageStale + token(10).String()}, fencing.ErrStale, token(10)},
		{"wrapped", fmt.Errorf("pay: 3 times: %w", coded{stateStale, "pq: " + messageStale + token(10).String()}), fencing.ErrStale, token(10)},
		{"wrapped with another", fmt.Errorf("%w: %w", errors.New("pay"), coded{stateStale, "ERROR: " + messageStale + token(10).String()}), fencing.ErrStale, token(10)},
		{"joined to another", errors.Join(errors.New("close: broken"), errors.New("Error 1644 (LF001): "+messageStale+token(10).String())), fencing.ErrStale, token(10)},
		{"MySQL", errors.New("Error 1644 (LF001): " + messageStale + token(10).String()), fencing.ErrStale, token(10)},
		{"modernc's SQLite", errors.New("constraint failed: " + messageOver + " (1811)"), fencing.ErrStale, fencing.Token{}},
		{"mattn's SQLite", errors.New(messageOver), fencing.ErrStale, fencing.Token{}},
		{"without a cluster", errors.New("Error 1644 (LF001): " + messageStale + "8"), fencing.ErrCluster, fencing.Token{}},
		{"another cluster", errors.New("Error 1644 (LF001): " + messageStale + "8@a1"), fencing.ErrCluster, fencing.Token{}},
		{"a watermark set for another cluster", errors.New("Error 1644 (LF001): " + messageStale + "0@a1"), fencing.ErrCluster, fencing.Token{}},
		{"another cluster in SQLite", errors.New(messageCluster), fencing.ErrCluster, fencing.Token{}},
		{"a session that told a lower one", errors.New("Error 1644 (LF001): " + messageStale + own.String()), fencing.ErrToken, fencing.Token{}},
		{"no token", coded{stateNone, "ERROR: " + messageNone + " (SQLSTATE LF000)"}, fencing.ErrToken, fencing.Token{}},
		{"no row", errors.New("constraint failed: " + messageUnknown + " (1811)"), fencing.ErrUnknown, fencing.Token{}},
		{"another SQLSTATE", coded{"23505", messageOver}, nil, fencing.Token{}},
		{"what a user typed", errors.New("Error 1062 (23000): Duplicate entry '" + messageOver + "' for key 'PRIMARY'"), nil, fencing.Token{}},
		{"anything else", errors.New("no such table: fences"), nil, fencing.Token{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Refusal(test.err, own)
			if test.want == nil {
				if got != test.err {
					t.Errorf("%v, want the error itself", got)
				}
				return
			}
			if !errors.Is(got, test.want) {
				t.Fatalf("%v, want %v", got, test.want)
			}
			stale, ok := errors.AsType[*fencing.StaleError](got)
			if ok && (stale.Token != own || stale.Highest != test.highest) {
				t.Errorf("%+v, want the highest %v", stale, test.highest)
			}
		})
	}
	if err := Refusal(nil, own); err != nil {
		t.Errorf("nil is %v", err)
	}
}
