package daemon

import (
	"sync"

	"lockside/ipc"
)

// table counts the sessions, in all and of each user, against the limits (P11).
type table struct {
	most, mostOfUser int
	wait             sync.WaitGroup // every session

	mu    sync.Mutex // guards what follows
	all   int
	users map[uint32]int
}

func (t *table) enter(uid uint32) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.all >= t.most:
		return ipc.ErrLimit.WithText("this daemon has at most %d sessions", t.most)
	case t.users[uid] >= t.mostOfUser:
		return ipc.ErrLimit.WithText("a user has at most %d sessions", t.mostOfUser)
	}
	t.addLocked(uid)
	return nil
}

// add counts a session whatever the limits are.
func (t *table) add(uid uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addLocked(uid)
}

func (t *table) addLocked(uid uint32) {
	t.all++
	t.users[uid]++
}

func (t *table) leave(uid uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all--
	if t.users[uid]--; t.users[uid] == 0 {
		delete(t.users, uid)
	}
}
