package ipc

import "time"

// A Role is what an entry's session does with the name.
type Role string

// The roles of entries.
const (
	RoleHolder Role = "holder"
	RoleWaiter Role = "waiter"
)

// An Entry is one place in a name's queue, as WHO and LIST show it. What an
// entry that lockside did not write does not tell is left at zero.
type Entry struct {
	Name  string // LIST only: WHO asks for one name
	Role  Role
	Fence int64  // the create revision
	Host  string // of the session's daemon
	PID   int    // of the process that connected
	UID   int    // its user; -1 if unknown
	User  string
	Comm  string // the process's command
	Unit  string // the process's systemd unit
	Owner string // the client's own word
	Since time.Time
}

// AppendEntry writes one line of WHO and LIST. What is unknown is left out.
func AppendEntry(dst []byte, e *Entry) []byte {
	dst = AppendData(dst)
	if e.Name != "" {
		dst = AppendString(dst, "name", e.Name)
	}
	dst = AppendString(dst, "role", string(e.Role))
	dst = AppendInt(dst, "fence", e.Fence)
	dst = appendKnown(dst, "host", e.Host)
	if e.PID > 0 {
		dst = AppendInt(dst, "pid", int64(e.PID))
	}
	if e.UID >= 0 {
		dst = AppendInt(dst, "uid", int64(e.UID))
	}
	dst = appendKnown(dst, "user", e.User)
	dst = appendKnown(dst, "comm", e.Comm)
	dst = appendKnown(dst, "unit", e.Unit)
	dst = appendKnown(dst, "owner", e.Owner)
	if !e.Since.IsZero() {
		dst = AppendTime(dst, "since", e.Since)
	}
	return AppendEnd(dst)
}

func appendKnown(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return AppendString(dst, key, value)
}

// parseEntry reads one line of WHO and LIST.
func parseEntry(f Fields) Entry {
	e := Entry{
		Name:  f.Get("name"),
		Role:  Role(f.Get("role")),
		Fence: f.Int("fence"),
		Host:  f.Get("host"),
		PID:   int(f.Int("pid")),
		UID:   -1,
		User:  f.Get("user"),
		Comm:  f.Get("comm"),
		Unit:  f.Get("unit"),
		Owner: f.Get("owner"),
		Since: f.Time("since"),
	}
	if _, known := f.Lookup("uid"); known {
		e.UID = int(f.Int("uid"))
	}
	return e
}
