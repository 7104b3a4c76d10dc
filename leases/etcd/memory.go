package etcd

import (
	"fmt"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// memory holds replies against what was seen before. etcd's revisions only rise,
// and a linearizable reply is at least as new as every reply that had arrived
// when it was asked for. One that is older can only come from a store that has
// been put back, such as a restored snapshot; so can another cluster's id.
// Fences would repeat, so the client stays regressed until it is made anew.
type memory struct {
	seen func(uint64, int64)

	mu        sync.Mutex // guards what follows
	cluster   uint64
	revision  int64
	regressed error
}

func newMemory(m Memory, seen func(uint64, int64)) *memory {
	if seen == nil {
		seen = func(uint64, int64) {}
	}
	return &memory{seen: seen, cluster: m.ClusterID, revision: m.Revision}
}

// err is the reason why the cluster is not to be used, if there is one.
func (m *memory) err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.regressed
}

// floor is the least revision that a request sent from now on may be answered with.
func (m *memory) floor() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.revision
}

// judge accepts a linearizable reply to a request that was sent at a floor, and
// remembers its revision before anyone sees it.
func (m *memory) judge(floor int64, header *pb.ResponseHeader) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.sameClusterLocked(header.GetClusterId()); err != nil {
		return err
	}
	revision := header.GetRevision()
	if revision < floor {
		m.regressed = fmt.Errorf("%w: revision %d after %d in cluster %x", ErrRegressed, revision, floor, m.cluster)
		return m.regressed
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
		m.regressed = fmt.Errorf("%w: cluster %x answers in place of %x", ErrRegressed, id, m.cluster)
	}
	return m.regressed
}

func (m *memory) clusterID() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cluster
}
