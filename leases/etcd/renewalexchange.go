package etcd

import (
	"errors"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// An exchange is one request on a stream and its answer.
type exchange struct {
	stream *renewalStream
	sent   time.Duration // read before the request left
	over   chan struct{} // closed when what follows is set

	answer *pb.LeaseKeepAliveResponse
	err    error
}

// begin sends a request on a stream that has none under way.
func (r *Renewal) begin(stream *renewalStream) *exchange {
	x := &exchange{stream: stream, sent: r.c.clock.Now(), over: make(chan struct{})}
	r.work.Go(func() {
		defer close(x.over)
		x.answer, x.err = stream.ask(r.lease)
	})
	return x
}

// judge is the TTL that an answer tells, or that there is no such lease.
func (r *Renewal) judge(x *exchange) (ttl time.Duration, err error) {
	if x.err != nil {
		return 0, x.err
	}
	if err := r.c.memory.judgeCluster(x.answer.Header); err != nil {
		return 0, err
	}
	if x.answer.TTL <= 0 {
		return 0, ErrLeaseNotFound
	}
	return time.Duration(x.answer.TTL) * time.Second, nil
}

// wait hands an answer on that comes after its attempt was over, and ends the stream
// at the latest when no answer can be of use.
func (r *Renewal) wait(x *exchange) {
	useless := time.AfterFunc(x.sent+r.ttl-r.c.clock.Now(), x.stream.cancel)
	defer useless.Stop()
	<-x.over
	x.stream.cancel()
	ttl, err := r.judge(x)
	if (err == nil || errors.Is(err, ErrLeaseNotFound)) && r.ctx.Err() == nil && r.late != nil {
		r.late(ttl, x.sent, err)
	}
}
