package faults_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"lockside/ipc"
)

// Customers are clients that want locks whatever becomes of etcd and the daemons.
type customers struct {
	t    testing.TB
	told *record

	mu   sync.Mutex // guards lost
	lost map[ipc.Reason]int
}

// A customer has one session after the other.
type customer struct {
	*customers
	site   *site
	who    string
	random *rand.Rand
	*client
}

// run takes turns until the context ends. Who waits then has a turn still.
func (c *customer) run(ctx context.Context) {
	for ctx.Err() == nil {
		if c.client == nil && !c.connect() {
			time.Sleep(50 * time.Millisecond) // the daemon is being restarted
			continue
		}
		if err := c.turn(ctx); errors.Is(err, io.EOF) {
			c.client.conn.Close()
			c.client = nil
		} else if err != nil {
			c.customers.t.Errorf("%s: %v", c.who, err)
			return
		}
	}
	if c.client != nil {
		c.told.closing(c.who)
		c.client.conn.Close()
	}
}

func (c *customer) connect() bool {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: c.site.config.Socket, Net: "unix"})
	if err != nil {
		return false
	}
	c.client = newClient(c.customers.t, conn)
	return true
}

// turn asks for a name, has it for a while, and gives it up. The error is io.EOF
// if the session has ended.
func (c *customer) turn(ctx context.Context) error {
	name, request := fmt.Sprintf("name-%d", c.random.IntN(5)), "LOCK "
	if c.random.IntN(3) == 0 {
		request += fmt.Sprintf("wait=%dms ", c.random.IntN(2000))
	}
	c.told.asks(c.who, c.site.config.Host, name)
	reply, err := c.answer(request + name)
	switch {
	case err != nil:
		return err
	case reply.Code == ipc.CodeTimeout, reply.Code == ipc.CodeBusy, reply.Code == ipc.CodeUnavailable:
		c.told.refused(c.who, reply.Code)
		return nil
	case reply.Code != "":
		return fmt.Errorf("LOCK is answered %s", reply.Append(nil))
	}
	g := grantOf(reply)
	c.told.granted(c.who, g, name)
	if err := c.hold(ctx, name, g.fence); err != nil {
		return err
	}
	return c.giveUp(name)
}

// hold uses what the lock guards for a while that may outlast a lease, and once
// more after the lock was lost, as one does who has not read it yet.
func (c *customer) hold(ctx context.Context, name string, fence int64) error {
	long := between(c.random, 0, 20*time.Millisecond)
	if c.random.IntN(10) == 0 {
		long = between(c.random, 0, 5*time.Second)
	}
	for end := time.Now().Add(long); time.Now().Before(end) && ctx.Err() == nil; {
		c.told.use(c.who, name, fence)
		if c.ends(min(time.Until(end), 100*time.Millisecond)) {
			err := c.over()
			c.told.use(c.who, name, fence)
			return err
		}
	}
	c.told.use(c.who, name, fence)
	return nil
}

// giveUp unlocks, or hangs up.
func (c *customer) giveUp(name string) error {
	if c.random.IntN(2) == 0 {
		c.told.closing(c.who)
		return io.EOF
	}
	c.told.unlocking(c.who, name)
	reply, err := c.answer("UNLOCK " + name)
	switch {
	case err != nil:
		return err
	case reply.Code != "":
		return fmt.Errorf("UNLOCK is answered %s", reply.Append(nil))
	}
	c.told.unlocked(c.who, name)
	return nil
}

// answer makes a request and waits for the reply to it, or for the session's end,
// as long as the faults last and a while after them.
func (c *customer) answer(request string) (ipc.Reply, error) {
	if c.post(request) != nil {
		return ipc.Reply{}, c.over()
	}
	if !c.ends(*randomFor + patience) {
		return ipc.Reply{}, fmt.Errorf("%s was not answered: %w", request, os.ErrDeadlineExceeded)
	}
	reply, _, err := c.reply()
	if errors.Is(err, io.EOF) || err == nil && reply.Kind == ipc.KindEvent {
		c.note(ipc.Reason(reply.Fields.Get("reason")))
		return reply, io.EOF
	}
	return reply, err
}

// over reads the session's end.
func (c *customer) over() error {
	reason, err := c.end()
	if err != nil {
		return err
	}
	c.note(reason)
	return io.EOF
}

// note records a loss that was read.
func (c *customer) note(reason ipc.Reason) {
	c.told.lost(c.who, reason)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.customers.lost[reason]++
}
