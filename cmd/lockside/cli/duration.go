package cli

import (
	"time"

	"lockside/ipc"
)

// duration is a flag's value, written as in the line protocol.
type duration struct{ time.Duration }

// unset stands for a duration that no flag has set.
const unset = -1

func (d *duration) Set(text string) (err error) {
	d.Duration, err = ipc.ParseDuration(text)
	return err
}

func (d *duration) String() string {
	if d.Duration <= 0 {
		return ""
	}
	return d.Duration.String()
}

func (*duration) Type() string { return "duration" }
