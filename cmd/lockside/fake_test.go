package main

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"lockside/ipc"
)

// A fake stands for the daemon, so that scripts decide when a lock is lost. It
// keeps queues in memory and serves the real protocol on a real socket.
type fake struct {
	listener net.Listener
	wg       sync.WaitGroup

	mu       sync.Mutex // guards what follows
	fence    int64
	queues   map[string][]*place
	sessions map[*session]struct{}
	refusal  error // of every LOCK
	silent   bool  // answers nothing any more
}

// A place is a session's in the queues of the names of one LOCK.
type place struct {
	session *session
	names   []string
	fence   int64
	owner   string
	since   time.Time
	timer   *time.Timer
	granted bool
}

type session struct {
	fake   *fake
	socket net.Conn
	place  *place // one LOCK a session is all that the program needs
}

func startFake(path string) (*fake, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	f := &fake{listener: listener, fence: 8122, queues: map[string][]*place{}, sessions: map[*session]struct{}{}}
	f.wg.Go(f.accept)
	return f, nil
}

func (f *fake) close() {
	f.listener.Close()
	f.mu.Lock()
	for s := range f.sessions {
		s.socket.Close()
	}
	f.mu.Unlock()
	f.wg.Wait()
}

func (f *fake) accept() {
	for {
		socket, err := f.listener.Accept()
		if err != nil {
			return
		}
		s := &session{fake: f, socket: socket}
		f.mu.Lock()
		f.sessions[s] = struct{}{}
		f.mu.Unlock()
		f.wg.Go(s.serve)
	}
}

func (s *session) serve() {
	in := bufio.NewReaderSize(s.socket, ipc.MaxLine)
	var r ipc.Request
	for {
		line, err := ipc.ReadLine(in)
		s.fake.mu.Lock()
		switch {
		case err != nil:
			s.endLocked()
			s.fake.mu.Unlock()
			return
		case s.fake.silent:
		default:
			if err := r.Parse(line); err != nil {
				s.sendLocked(ipc.AppendErr(nil, err))
			} else {
				s.answerLocked(&r)
			}
		}
		s.fake.mu.Unlock()
	}
}

func (s *session) sendLocked(line []byte) { _, _ = s.socket.Write(line) }

func (s *session) okLocked(fields string) { s.sendLocked([]byte("OK " + fields + "\n")) }

func (s *session) answerLocked(r *ipc.Request) {
	switch r.Verb {
	case ipc.VerbHello:
		s.okLocked("lockside=1 host=web-3 session=1")
	case ipc.VerbLock:
		s.lockLocked(r)
	case ipc.VerbCancel:
		if s.place != nil && !s.place.granted {
			s.dropLocked(ipc.ErrCancelled)
		}
		s.okLocked("")
	case ipc.VerbUnlock:
		s.leaveLocked()
		s.okLocked("held=1.2s")
	case ipc.VerbCheck:
		s.okLocked("fence=8123 left=12s")
	case ipc.VerbWho:
		s.entriesLocked(r.Names[0], "")
		s.okLocked("")
	case ipc.VerbList:
		for name := range s.fake.queues {
			if ipc.MatchGlob(r.Glob, name) {
				s.entriesLocked(name, name)
			}
		}
		s.okLocked("")
	case ipc.VerbStatus:
		s.sendLocked([]byte("+ about=daemon version=v1.2.3 host=web-3\n+ about=store store=etcd health=ok revision=12\n"))
		s.okLocked("")
	}
}

func (s *session) lockLocked(r *ipc.Request) {
	f := s.fake
	if f.refusal != nil {
		s.sendLocked(ipc.AppendErr(nil, f.refusal))
		return
	}
	f.fence++
	s.place = &place{session: s, names: slices.Clone(r.Names), fence: f.fence, owner: r.Owner, since: time.Now()}
	for _, name := range r.Names {
		f.queues[name] = append(f.queues[name], s.place)
	}
	f.grantLocked()
	switch {
	case s.place.granted || r.Wait == ipc.WaitForever:
	case r.Wait == 0:
		s.dropLocked(ipc.ErrBusy)
	default:
		waiting := s.place
		waiting.timer = time.AfterFunc(r.Wait, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			if s.place == waiting && !waiting.granted {
				s.dropLocked(ipc.ErrTimeout)
			}
		})
	}
}

func (s *session) dropLocked(err error) {
	s.leaveLocked()
	s.sendLocked(ipc.AppendErr(nil, err))
}

// leaveLocked takes the session out of every queue.
func (s *session) leaveLocked() {
	if s.place == nil {
		return
	}
	for _, name := range s.place.names {
		queue := slices.DeleteFunc(s.fake.queues[name], func(p *place) bool { return p == s.place })
		if s.fake.queues[name] = queue; len(queue) == 0 {
			delete(s.fake.queues, name)
		}
	}
	if s.place.timer != nil {
		s.place.timer.Stop()
	}
	s.place = nil
	s.fake.grantLocked()
}

func (s *session) endLocked() {
	s.leaveLocked()
	delete(s.fake.sessions, s)
	s.socket.Close()
}

// grantLocked grants every place that is the first in all its queues.
func (f *fake) grantLocked() {
	for s := range f.sessions {
		p := s.place
		if p == nil || p.granted || slices.ContainsFunc(p.names, func(name string) bool { return f.queues[name][0] != p }) {
			continue
		}
		p.granted = true
		g := &ipc.Grant{Fence: p.fence, Cluster: 0xcdf8, Lease: 0x694d, TTL: 15 * time.Second, Names: p.names}
		for _, name := range p.names {
			g.Keys = append(g.Keys, "lockside/"+name+"/694d-0")
		}
		s.sendLocked(ipc.AppendGrant(nil, g))
	}
}

func (s *session) entriesLocked(name, shown string) {
	for i, p := range s.fake.queues[name] {
		e := ipc.Entry{
			Name: shown, Role: ipc.RoleWaiter, Fence: p.fence, Host: "web-3", PID: 4242, UID: 1000,
			User: "app", Comm: "backup", Owner: p.owner, Since: p.since,
		}
		if i == 0 {
			e.Role = ipc.RoleHolder
		}
		s.sendLocked(ipc.AppendEntry(nil, &e))
	}
}

// lose ends the session that holds a name, with or without a word.
func (f *fake) lose(name string, reason ipc.Reason) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queues[name]) == 0 {
		return fmt.Errorf("nobody holds %s", name)
	}
	holder := f.queues[name][0].session
	if reason != ipc.ReasonEOF {
		holder.sendLocked(ipc.AppendLost(nil, reason))
	}
	return holder.socket.(*net.UnixConn).CloseWrite()
}

// queue describes who is in a name's queue, such as "holder waiter".
func (f *fake) queue(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var roles []string
	for _, p := range f.queues[name] {
		if p.granted {
			roles = append(roles, string(ipc.RoleHolder))
		} else {
			roles = append(roles, string(ipc.RoleWaiter))
		}
	}
	return strings.Join(roles, " ")
}
