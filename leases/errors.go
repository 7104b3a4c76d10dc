package leases

import "lockside/leases/core"

// The reasons for which a request is refused; see package core.
var (
	ErrBusy        = core.ErrBusy
	ErrTimeout     = core.ErrTimeout
	ErrCancelled   = core.ErrCancelled
	ErrHeld        = core.ErrHeld
	ErrNotHeld     = core.ErrNotHeld
	ErrOrder       = core.ErrOrder
	ErrLimit       = core.ErrLimit
	ErrUnavailable = core.ErrUnavailable
	ErrRegressed   = core.ErrRegressed
	ErrDraining    = core.ErrDraining
)

// Reason says why a session was lost.
type Reason = core.Reason
