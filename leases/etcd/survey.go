package etcd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// Survey tells how far the cluster has come. All endpoints read the key at once,
// and those that have answered read it again, so that one which belongs to another
// cluster, or to the same one before it was restored, contradicts the others: it
// stays behind what another showed before. An endpoint that does not answer is not
// heard.
//
// It returns ErrRegressed for a contradiction, with what each endpoint shows, and
// otherwise the error of an endpoint if none answered before the context ended.
func (c *Client) Survey(ctx context.Context, key string) (Memory, error) {
	first := c.hear(ctx, c.endpoints.all, key)
	heard := slices.DeleteFunc(slices.Clone(first), func(a showing) bool { return a.shown == (Memory{}) })
	if len(heard) == 0 {
		return Memory{}, fmt.Errorf("survey endpoints: %w", callError(first[0].err))
	}
	var again []*endpoint
	for _, a := range heard {
		again = append(again, a.at)
	}
	c.hear(ctx, again, key)
	if err := c.memory.err(); err != nil {
		return Memory{}, fmt.Errorf("survey endpoints: %w: %s", err, compare(heard))
	}
	return c.here(), nil
}

// A showing is what an endpoint showed, or why it showed nothing.
type showing struct {
	at    *endpoint
	shown Memory
	err   error
}

// hear has endpoints read the key, all at once.
func (c *Client) hear(ctx context.Context, all []*endpoint, key string) []showing {
	answers := make([]showing, len(all))
	var wait sync.WaitGroup
	for i, e := range all {
		wait.Go(func() {
			a := showing{at: e}
			_, a.err = c.try(ctx, e, func(ctx context.Context, conn *grpc.ClientConn) error {
				header, err := c.readKey(ctx, conn, key)
				a.shown = Memory{ClusterID: header.GetClusterId(), Revision: header.GetRevision()}
				return err
			})
			answers[i] = a
		})
	}
	wait.Wait()
	return answers
}

// compare tells what each endpoint has shown.
func compare(answers []showing) string {
	var texts []string
	for _, a := range answers {
		texts = append(texts, fmt.Sprintf("%s shows revision %d of cluster %x", a.at.url, a.shown.Revision, a.shown.ClusterID))
	}
	return strings.Join(texts, ", ")
}

// readKey is a linearizable read of a key, of which only the header matters. The
// header may come with an error, if it cannot be right.
func (c *Client) readKey(ctx context.Context, conn *grpc.ClientConn, key string) (*pb.ResponseHeader, error) {
	floor := c.memory.floor()
	resp, err := pb.NewKVClient(conn).Range(ctx, &pb.RangeRequest{Key: []byte(key), CountOnly: true})
	if err != nil {
		return nil, err
	}
	return resp.Header, c.memory.judge(floor, resp.Header)
}

// here is how far the cluster is known to have come.
func (c *Client) here() Memory {
	s := c.memory.status()
	return Memory{ClusterID: s.ClusterID, Revision: s.Revision}
}
