// Package etcd is a thin adapter over etcd's gRPC API that decides itself which
// member each request goes to.
//
// A lock's safety hangs on two things that a client library must not decide: how
// long a request may take, and whether it may be sent twice. So there is one gRPC
// connection for each endpoint, no balancer, and no retry below this package.
// Every try has its own time-out, and a call that may be repeated moves on to the
// next endpoint; a Txn, which may not, is sent once and its error says whether it
// can still take effect (errors.go).
//
// A goroutine for each endpoint asks the member who it is (monitor.go), and the
// answers rank the endpoints (endpoints.go): the leader first. Replies are held
// against the highest revision seen before they were asked for (memory.go), so
// that a restored snapshot or another cluster is noticed before anyone acts on it.
//
// Time-outs in this package run on Go's timers, which a suspended host stops. That
// only makes them late, and nothing is promised by them: the moments that matter,
// when a renewal or a grant was sent, are read from the boot clock.
//
// The requests and replies are those of etcdserverpb; see
// https://etcd.io/docs/latest/learning/api/.
package etcd
