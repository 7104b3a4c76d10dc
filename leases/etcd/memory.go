package etcd

import (
	"fmt"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// memory holds replies against what was seen before. etcd's revisions only rise,
// and a linearizable reply is at least as new as every reply that had arrived
// when it was asked for; if it wrote, it is newer than all of them. One that is older can only come from a store that has
// been put back, such as a restored snapshot; so can another cluster's id.
// Fences would repeat, so the client stays regressed, and only notes for people what
// replies show, until it is made anew.
type memory struct {
	seen     func(uint64, int64)
	wentBack func(error)

	mu        sync.Mutex // guards what follows
	cluster   uint64
	revision  int64
	regressed error
	present   Memory // what a reply showed since, for people
}

func newMemory(m Memory, seen func(uint64, int64), wentBack func(error)) *memory {
	if seen == nil {
		seen = func(uint64, int64) {}
	}
	if wentBack == nil {
		wentBack = func(error) {}
	}
	mem := &memory{seen: seen, wentBack: wentBack, cluster: m.ClusterID, revision: m.Revision}
	if m.Regressed {
		mem.regressed = fmt.Errorf("%w behind revision %d of cluster %x before a restart", ErrRegressed, m.Revision, m.ClusterID)
	}
	return mem
}

// err is the reason why the cluster is not to be used, if there is one.
func (m *memory) err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.regressed
}

// id is the cluster that answers; 0 before any has.
func (m *memory) id() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cluster
}

// floor is the least revision that a request sent from now on may be answered
// with. One that writes must do better.
func (m *memory) floor() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.revision
}

// judge accepts a linearizable reply of at least a revision, and remembers that of
// the reply before anyone sees it.
func (m *memory) judge(least int64, header *pb.ResponseHeader) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.judgeLocked(least, header)
	if err != nil {
		m.present = Memory{ClusterID: header.GetClusterId(), Revision: header.GetRevision()}
	}
	return err
}

func (m *memory) judgeLocked(least int64, header *pb.ResponseHeader) error {
	if err := m.sameClusterLocked(header.GetClusterId()); err != nil {
		return err
	}
	revision := header.GetRevision()
	if revision < least {
		return m.regressLocked("revision %d instead of %d or more in cluster %x", revision, least, m.cluster)
	}
	if revision > m.revision {
		m.revision = revision
		m.seen(m.cluster, revision)
	}
	return nil
}

// judgeCluster accepts a reply whose revision proves nothing.
func (m *memory) judgeCluster(header *pb.ResponseHeader) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sameClusterLocked(header.GetClusterId())
}

func (m *memory) sameClusterLocked(id uint64) error {
	if m.regressed != nil {
		return m.regressed
	}
	if m.cluster == 0 {
		m.cluster = id
	}
	if m.cluster != id {
		return m.regressLocked("cluster %x answers in place of %x", id, m.cluster)
	}
	return nil
}

// regressLocked refuses a reply, and every one after it.
func (m *memory) regressLocked(why string, args ...any) error {
	m.regressed = fmt.Errorf("%w: %w", ErrRegressed, fmt.Errorf(why, args...))
	m.wentBack(m.regressed)
	return m.regressed
}

// wrote reports whether a Txn made a revision of its own, which it does unless it
// changed nothing.
func wrote(responses []*pb.ResponseOp) bool {
	for _, r := range responses {
		switch {
		case r.GetResponsePut() != nil,
			r.GetResponseDeleteRange().GetDeleted() > 0,
			wrote(r.GetResponseTxn().GetResponses()):
			return true
		}
	}
	return false
}
