package ipc_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain holds that a closed client leaves no goroutine.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
