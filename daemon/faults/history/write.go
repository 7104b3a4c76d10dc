package history

import (
	"fmt"
	"slices"
)

// rememberedWrites is with how many fences, each greater than those before, the
// last accepted writes are kept: as many as there are clients that could begin a
// write, sleep, and have it accepted late.
const rememberedWrites = 1024

// used takes a read or a write of a resource.
func (c *Checker) used(e Event) {
	if len(e.Names) != 1 || e.Begin == 0 || e.Begin > e.At {
		c.senseless(e, "a resource has one name, and its use begins before it ends")
		return
	}
	n := c.name(e.Names[0])
	if e.Begin <= n.ops.settled {
		c.senseless(e, fmt.Sprintf("the use of a resource took longer than %v", maxUse))
		return
	}
	if e.Kind == Wrote && !e.Denied {
		c.checkWrite(n, e)
	}
	n.ops.add(e)
	if len(n.ops.all) >= 2*segment {
		c.settle(n, e.At-maxUse)
	}
}

// checkWrite holds that no write with a greater fence was accepted before this
// one began.
func (c *Checker) checkWrite(n *name, e Event) {
	for _, w := range slices.Backward(n.writes) {
		if w.At >= e.Begin {
			continue
		}
		if w.Fence > e.Fence {
			c.violate(LateWrite, n, "%s wrote with fence %d after %s had written with %d", e.Client, e.Fence, w.Client, w.Fence)
		}
		break
	}
	if k := len(n.writes); k == 0 || n.writes[k-1].Fence < e.Fence {
		n.writes = append(n.writes, e)
		n.writes = n.writes[max(0, len(n.writes)-rememberedWrites):]
	}
}
