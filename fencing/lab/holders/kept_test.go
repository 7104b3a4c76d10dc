package holders

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestKept looks at what a lock's own clock and its renewals say of it. The TTL is
// three seconds, so that it is renewed every second.
func TestKept(t *testing.T) {
	unknown := errors.New("no answer")
	for _, test := range []struct {
		name  string
		renew func(context.Context) (bool, error)
		after time.Duration
		told  string
	}{
		{"renewed", func(context.Context) (bool, error) { return true, nil }, time.Minute, ""},
		{"not answered", func(context.Context) (bool, error) { return false, unknown }, 2900 * time.Millisecond, ""},
		{"not answered for a TTL", func(context.Context) (bool, error) { return false, unknown }, 3 * time.Second, "its own clock: the TTL has passed"},
		{"gone", func(context.Context) (bool, error) { return false, nil }, 1100 * time.Millisecond, "the renewal found it gone"},
		{"answered late", func(ctx context.Context) (bool, error) { <-ctx.Done(); return true, nil }, time.Minute, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := keep(3*time.Second, time.Now(), test.renew)
			defer k.stop()
			time.Sleep(test.after)
			if told := k.Told(); told != test.told {
				t.Errorf("%s: told %q, want %q", test.name, told, test.told)
			}
		})
	}
}

// TestLateAnswersReviveNothing has a renewal answered once the TTL has passed.
func TestLateAnswersReviveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kept{ttl: 3 * time.Second, until: time.Now().Add(3 * time.Second)}
		asked := time.Now().Add(2 * time.Second)
		time.Sleep(3 * time.Second)
		k.answered(asked, true, nil)
		if k.Told() == "" {
			t.Error("a lock that was over is held again")
		}
	})
}
