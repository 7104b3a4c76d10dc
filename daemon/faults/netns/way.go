package netns

import (
	"math/rand/v2"
	"sync"
	"time"
)

// A way leads from one host to another. Packets arrive in the order in which
// they were sent.
type way struct {
	from, to *Host
	onTheWay chan packet

	mu   sync.Mutex // guards link
	link Link
}

type packet struct {
	due  time.Time
	data []byte
}

// room is how many packets may be on one way. Further ones are lost, as they are
// at any router.
const room = 4096

func newWay(from, to *Host) *way {
	return &way{from: from, to: to, onTheWay: make(chan packet, room)}
}

func (w *way) set(l Link) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.link = l
}

func (w *way) current() Link {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.link
}

// send takes a packet, which it keeps.
func (w *way) send(data []byte) {
	link := w.current()
	if link.Reject {
		if answer := reset(data); answer != nil {
			w.from.write(answer)
		}
		return
	}
	if rand.Float64() < link.Loss {
		return
	}
	select {
	case w.onTheWay <- packet{time.Now().Add(link.Delay), data}:
	default:
	}
}

// carry delivers packets until the network closes.
func (w *way) carry(closing <-chan struct{}) {
	late := time.NewTimer(0)
	defer late.Stop()
	for {
		var p packet
		select {
		case p = <-w.onTheWay:
		case <-closing:
			return
		}
		if wait := time.Until(p.due); wait > 0 {
			late.Reset(wait)
			select {
			case <-late.C:
			case <-closing:
				return
			}
		}
		w.to.write(p.data)
	}
}
