package sqlguard

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"lockside/fencing"
)

// What the triggers refuse with: SQLSTATEs, which stand in the message as well,
// since not every driver tells them by a method.
const (
	stateNone    = "LF000" // there was no token
	stateStale   = "LF001" // and the message ends in the greatest token, if it can
	stateUnknown = "LF002" // the fence table has no such row
	stateCluster = "LF003" // SQLite's, whose messages cannot tell the greatest token
)

// The messages behind them.
const (
	messageNone    = "lockside " + stateNone + ": the session has told no fencing token"
	messageStale   = "lockside " + stateStale + ": the greatest fencing token seen is " // and which
	messageOver    = "lockside " + stateStale + ": the fencing token is stale"
	messageUnknown = "lockside " + stateUnknown + ": the fence table has no row for the trigger"
	messageCluster = "lockside " + stateCluster + ": the fencing token is of another etcd cluster"
)

// Refusal is the error of a statement as the guards tell it, if a trigger of
// [TriggerSchema] has refused the statement's token: [fencing.ErrStale],
// [fencing.ErrCluster], [fencing.ErrToken] or [fencing.ErrUnknown]. Any other
// error it returns as it is, and nil for nil.
//
// It asks an error for its SQLSTATE where there is a method SQLState, as there is
// with pgx and pq, and then reads the text, which those of MySQL and SQLite have,
// too. SQLite's triggers do not tell the greatest token.
func Refusal(err error, t fencing.Token) error {
	state, highest := refusal(err)
	switch state {
	case stateNone:
		return fmt.Errorf("%w: the session has told none", fencing.ErrToken)
	case stateStale:
		return stale(highest, t)
	case stateUnknown:
		return fmt.Errorf("%w: the fence table has no row for the trigger", fencing.ErrUnknown)
	case stateCluster:
		return &fencing.ClusterError{Token: t}
	}
	return err
}

// stale is the error for a trigger that has seen a token which is greater than
// what the session told, or of another cluster.
func stale(highest string, t fencing.Token) error {
	seen, err := parseSeen(highest)
	if err != nil {
		return &fencing.StaleError{Token: t} // SQLite's do not tell
	}
	if _, err := (fencing.Watermark{Highest: seen}).Admit(t); err != nil {
		return err
	}
	return fmt.Errorf("%w: the session has told a lower one than %v", fencing.ErrToken, t)
}

// parseSeen reads a watermark, whose fence is 0 where it was set by hand.
func parseSeen(text string) (fencing.Token, error) {
	if id, found := strings.CutPrefix(text, "0@"); found && id != "" {
		cluster, err := fencing.ParseCluster(id)
		return fencing.Token{Cluster: cluster}, err
	}
	return fencing.Parse(text)
}

// refusal is the SQLSTATE of a trigger's error, and the token in it. The message
// stands at the beginning, behind what the driver has before it: elsewhere it
// could be what a user has typed, which databases quote.
func refusal(err error) (state, highest string) {
	coded, found := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	if found && !strings.HasPrefix(coded.SQLState(), "LF") {
		return "", ""
	}
	return find(regexp.MustCompile(`^(?:[^:]*: )?lockside (LF\d{3}): [a-z ]*([0-9][0-9a-f@]*)?`), err)
}

// find looks for a message in an error, and then in all that it wraps.
func find(message *regexp.Regexp, err error) (state, highest string) {
	if err == nil {
		return "", ""
	}
	if m := message.FindStringSubmatch(err.Error()); m != nil {
		return m[1], m[2]
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			if state, highest = find(message, one); state != "" {
				return state, highest
			}
		}
	}
	return find(message, errors.Unwrap(err))
}
