package etcd

// Status is a snapshot of what is known of the cluster.
type Status struct {
	ClusterID uint64 // zero while unknown
	Revision  int64  // the highest seen
	Regressed error  // why nothing is sent any more, or nil
	Present   Memory // what the cluster has shown since; zero while unknown
	Endpoints []EndpointStatus
}

// EndpointStatus is a snapshot of what is known of one endpoint.
type EndpointStatus struct {
	URL      string
	MemberID uint64 // zero while unknown
	Version  string // empty while unknown, or if the server keeps it to itself
	Role     Role
	Healthy  bool  // the last probe was answered, and no call has failed since
	Err      error // why it is not healthy or not used, or nil
}

// Role is what a member is in its cluster.
type Role string

// The roles. RoleUnknown is that of a member that has not been heard of.
const (
	RoleUnknown  Role = "unknown"
	RoleLeader   Role = "leader"
	RoleFollower Role = "follower"
	RoleLearner  Role = "learner"
)

// Status tells what is known now. It asks nobody and never waits.
func (c *Client) Status() Status {
	s := c.memory.status()
	for _, e := range c.endpoints.all {
		s.Endpoints = append(s.Endpoints, c.endpoints.view(e).status(e.url))
	}
	return s
}

// Cluster is the id of the cluster that answers, and never another's; 0 before it
// has. It asks nobody and never waits.
func (c *Client) Cluster() uint64 { return c.memory.id() }

func (m *memory) status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Status{ClusterID: m.cluster, Revision: m.revision, Regressed: m.regressed, Present: m.present}
}

func (v view) status(url string) EndpointStatus {
	s := EndpointStatus{URL: url, MemberID: v.member, Version: v.version, Role: v.role(), Healthy: v.healthy, Err: v.err}
	if v.refused != nil {
		s.Err = v.refused
	}
	return s
}

func (v view) role() Role {
	switch {
	case v.member == 0:
		return RoleUnknown
	case v.learner:
		return RoleLearner
	case v.leader:
		return RoleLeader
	}
	return RoleFollower
}
