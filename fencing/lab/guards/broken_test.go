package guards_test

import (
	"regexp"
	"testing"

	"lockside/fencing/fencingtest"
)

// tries is how often a race is run that a broken guard may win by luck.
const tries = 50

// mustFail runs the case of that name until the guard fails it, which it must do
// with an error that a regular expression matches.
func mustFail[W any](t *testing.T, name, as string, open func(t *testing.T) *fencingtest.Resource[W]) {
	t.Helper()
	for _, c := range fencingtest.Cases[W]() {
		if c.Name != name {
			continue
		}
		for range tries {
			err := c.Run(t.Context(), open(t))
			if err == nil {
				continue
			}
			if matched, bad := regexp.MatchString(as, err.Error()); !matched || bad != nil {
				t.Errorf("it fails %q with another error: %v", name, err)
			}
			t.Logf("%s: %v", name, err)
			return
		}
		t.Fatalf("it passes %q", name)
	}
	t.Fatalf("there is no case %q", name)
}
