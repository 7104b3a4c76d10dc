package soak

import (
	"strings"
	"time"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/crowd"
	"lockside/ipc"
)

// keptViolations is how many violations are kept, beside the checker's.
const keptViolations = 100

// refusedLocked looks at a refusal. Those that clients bring about are fine.
func (o *observer) refusedLocked(e history.Event) {
	o.tally.Refusals[e.Reason]++
	switch e.Reason {
	case string(ipc.CodeBusy), string(ipc.CodeTimeout), string(ipc.CodeUnavailable), "gave up":
	case string(crowd.Unreachable):
		o.tally.Unreachable++
		o.judgeLocked(e)
	default:
		o.violateLocked("refusal", "without a cause: "+e.String(), e.At)
	}
}

// lostLocked looks at a loss. Some reasons no fault explains.
func (o *observer) lostLocked(e history.Event) {
	o.tally.Losses[e.Reason]++
	switch ipc.Reason(e.Reason) {
	case ipc.ReasonLeaseRevoked:
		if o.ledger.revoked(e.At) {
			o.tally.Revoked++
			return
		}
		o.judgeLocked(e)
	case ipc.ReasonDeadline, ipc.ReasonClientDeadline, ipc.ReasonEOF, ipc.ReasonLeaseExpired, ipc.ReasonNotHeld:
		o.judgeLocked(e)
	default:
		o.tally.FalseLosses[e.Reason]++
		o.violateLocked("false loss", "for a reason that no fault explains: "+e.String(), e.At)
	}
}

// unreachable looks at a client that could not connect.
func (o *observer) unreachable(e history.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tally.Unreachable++
	o.judgeLocked(e)
}

// judgeLocked holds that faults explain what a client was told.
func (o *observer) judgeLocked(e history.Event) {
	name, _, _ := strings.Cut(e.Client, "/")
	if o.ledger.explains(e.At, e.Host, name) {
		return
	}
	rule := "unreachable"
	if e.Kind == history.Lost {
		rule = "false loss"
		o.tally.FalseLosses[e.Reason]++
	}
	o.violateLocked(rule, "without a fault that explains it: "+e.String(), e.At)
}

// doubt is why what is found at a moment may not be the product's fault.
func (o *observer) doubt(at time.Duration) string {
	switch {
	case o.ledger.starvation(at) >= o.margin/2:
		return "the machine stood still then"
	case o.ledger.revoked(at):
		return "etcd may have revoked live leases then"
	}
	return ""
}

// violate notes a violation that the checker does not see. The moment may be 0
// for one that the machine has no part in.
func (o *observer) violate(rule, text string, at time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.violateLocked(rule, text, at)
}

func (o *observer) violateLocked(rule, text string, at time.Duration) {
	v := Violation{Rule: rule, Text: text}
	if at > 0 {
		v.Doubt = o.doubt(at)
	}
	o.log.Error("A promise is not kept", "rule", rule, "text", text, "doubt", v.Doubt)
	if len(o.violations) < keptViolations {
		o.violations = append(o.violations, v)
	}
}
