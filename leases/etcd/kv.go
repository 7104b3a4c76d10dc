package etcd

import (
	"context"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// lastTry is how long after its begin a Txn still turns to another endpoint.
const lastTry = 5 * time.Second

// Txn sends a transaction once, to the preferred endpoint, or to the next ones
// as long as it surely has not been sent, for a few seconds. The context ends the
// wait, but not the transaction.
//
// It returns ErrNotSent or a refusal (ErrLeaseNotFound, ErrDenied, ErrTooLarge,
// ErrRefused) if the transaction had no effect and never will, ErrRegressed,
// ErrServerTooOld or ErrClosed if nothing may be sent, and otherwise
// ErrUnknownOutcome. A reply that shows a regression is ErrRegressed too, and the
// transaction may have had its effect.
func (c *Client) Txn(ctx context.Context, req *pb.TxnRequest) (*pb.TxnResponse, error) {
	if err := c.usable(); err != nil {
		return nil, fmt.Errorf("send txn: %w", err)
	}
	order, err := c.endpoints.ranked()
	if err != nil {
		return nil, fmt.Errorf("send txn: %w", err)
	}
	var resp *pb.TxnResponse
	var sent bool
	begun := time.Now()
	for _, e := range order {
		if sent, err = c.try(ctx, e, c.txn(req, &resp)); sent || ctx.Err() != nil || time.Since(begun) > lastTry {
			break
		}
	}
	switch {
	case err == nil:
		return resp, nil
	case !sent:
		return nil, fmt.Errorf("send txn: %w: %w", ErrNotSent, callError(err))
	}
	return nil, fmt.Errorf("send txn: %w", writeError(err))
}

// Read sends a transaction without writes to one endpoint after the other until
// one answers or the context ends. The reply is linearizable.
//
// It returns ErrUnavailable if none answered, or a refusal, or ErrRegressed or
// ErrServerTooOld.
func (c *Client) Read(ctx context.Context, req *pb.TxnRequest) (*pb.TxnResponse, error) {
	if err := c.usable(); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	var resp *pb.TxnResponse
	if err := c.anywhere(ctx, c.txn(req, &resp)); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return resp, nil
}

// Range reads keys from one endpoint after the other until one answers or the
// context ends. The errors are those of Read.
func (c *Client) Range(ctx context.Context, req *pb.RangeRequest) (*pb.RangeResponse, error) {
	if err := c.usable(); err != nil {
		return nil, fmt.Errorf("range: %w", err)
	}
	var resp *pb.RangeResponse
	err := c.anywhere(ctx, func(ctx context.Context, conn *grpc.ClientConn) (err error) {
		floor := c.memory.floor()
		if resp, err = pb.NewKVClient(conn).Range(ctx, req); err != nil {
			return err
		}
		return c.memory.judge(floor, resp.Header)
	})
	if err != nil {
		return nil, fmt.Errorf("range: %w", err)
	}
	return resp, nil
}

// txn is the call behind Txn and Read. The floor is taken before the request
// leaves, so that replies that overtake each other are not misjudged.
func (c *Client) txn(req *pb.TxnRequest, resp **pb.TxnResponse) call {
	return func(ctx context.Context, conn *grpc.ClientConn) (err error) {
		floor := c.memory.floor()
		if *resp, err = pb.NewKVClient(conn).Txn(ctx, req); err != nil {
			return err
		}
		if wrote((*resp).Responses) {
			floor++
		}
		return c.memory.judge(floor, (*resp).Header)
	}
}
