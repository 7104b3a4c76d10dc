package peer

import (
	"os/user"
	"strconv"
	"sync"
	"time"
)

const (
	// nameLife is how long a user's name is believed.
	nameLife = time.Minute
	// maxNames bounds the memory that the names take.
	maxNames = 1024
)

// names is the names of users that were looked up lately. A look-up reads a
// file or asks a name service, which is too slow for every connection.
type names struct {
	mu    sync.Mutex
	known map[uint32]knownName
}

type knownName struct {
	name string
	ends time.Time
}

// of is the name of a user, or its number if it has none. No lock is held
// while a name service takes its time.
func (n *names) of(uid uint32) string {
	now := time.Now()
	if name, ok := n.lookup(uid, now); ok {
		return name
	}
	number := strconv.FormatUint(uint64(uid), 10)
	name := number
	if u, err := user.LookupId(number); err == nil {
		name = u.Username
	}
	n.keep(uid, knownName{name, now.Add(nameLife)})
	return name
}

func (n *names) lookup(uid uint32, now time.Time) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	known, ok := n.known[uid]
	return known.name, ok && now.Before(known.ends)
}

func (n *names) keep(uid uint32, name knownName) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil || len(n.known) >= maxNames {
		n.known = make(map[uint32]knownName)
	}
	n.known[uid] = name
}
