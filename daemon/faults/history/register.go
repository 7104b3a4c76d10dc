package history

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	// segment is how many uses of a resource are looked at together at least. The
	// search keeps a bit for each of them at each of its steps.
	segment = 500

	// maxUse is how long one use of a resource may take. What ended before that
	// is complete.
	maxUse = time.Minute

	// searchTime bounds the search for an order of one segment.
	searchTime = time.Minute

	// forever is after every moment.
	forever = time.Duration(math.MaxInt64)
)

// A register is what is behind a lock: it refuses whoever comes with a lower
// fence than the greatest that it has seen.
type register struct {
	fence, value int64
}

// step is what one use makes of a register, and whether it can have gone as it
// did.
func (r register) step(e Event) (register, bool) {
	if e.Denied || e.Fence < r.fence {
		return r, e.Denied && e.Fence < r.fence
	}
	if e.Kind == Read {
		return register{e.Fence, r.value}, e.Value == r.value
	}
	return register{e.Fence, e.Value}, true
}

// ops are the uses of one resource that were not checked yet.
type ops struct {
	all     []Event
	base    register      // as it was before them
	settled time.Duration // the last moment of those that were checked
}

func (o *ops) add(e Event) { o.all = append(o.all, e) }

// settle checks the uses up to a moment, as far as no later one overlaps them.
func (c *Checker) settle(n *name, until time.Duration) {
	o := &n.ops
	slices.SortStableFunc(o.all, func(a, b Event) int { return cmp.Compare(a.Begin, b.Begin) })
	for end := o.cut(until); end > 0; end = o.cut(until) {
		done := o.all[:end]
		c.linearize(n, o.base, done)
		for _, e := range done {
			o.settled = max(o.settled, e.At)
		}
		o.base = after(o.base, done)
		o.all = slices.Clone(o.all[end:])
	}
}

// cut is how many uses, in the order in which they began, make a segment: those
// after them began when they had ended. Only the last one is shorter.
func (o *ops) cut(until time.Duration) int {
	var ended time.Duration
	for i, e := range o.all {
		if e.Begin > ended && i >= segment {
			return i
		}
		if ended = max(ended, e.At); ended > until {
			return 0
		}
	}
	if until == forever {
		return len(o.all)
	}
	return 0
}

// after is what a segment leaves. An accepted write raises the fence, and of
// those with one fence the holder made one after the other, so whatever the
// order was, the greatest counts.
func after(r register, segment []Event) register {
	var last Event
	for _, e := range segment {
		if e.Denied {
			continue
		}
		r.fence = max(r.fence, e.Fence)
		if e.Kind == Wrote && (e.Fence > last.Fence || e.Fence == last.Fence && e.Begin > last.Begin) {
			last, r.value = e, e.Value
		}
	}
	return r
}

// linearize looks for an order of the uses in which a register could have
// answered as it did.
func (c *Checker) linearize(n *name, base register, segment []Event) {
	operations := make([]porcupine.Operation, 0, len(segment))
	for _, e := range segment {
		operations = append(operations, porcupine.Operation{Input: e, Call: int64(e.Begin), Output: e, Return: int64(e.At)})
	}
	model := porcupine.Model{
		Init: func() any { return base },
		Step: func(state, _, output any) (bool, any) {
			next, ok := state.(register).step(output.(Event))
			return ok, next
		},
		Equal: func(a, b any) bool { return a == b },
	}
	result, found := porcupine.CheckOperationsVerbose(model, operations, searchTime)
	switch result {
	case porcupine.Ok:
	case porcupine.Illegal:
		c.disorder(n, segment, found)
	default:
		c.violate(Register, n, "no order of %d uses was found in %v, which decides nothing", len(segment), searchTime)
	}
}

// disorder shows the first use that has no place in the longest order.
func (c *Checker) disorder(n *name, segment []Event, found porcupine.LinearizationInfo) {
	var longest []porcupine.Operation
	for _, partition := range found.PartialLinearizationsOperations() {
		for _, order := range partition {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	placed := map[time.Duration]bool{}
	for _, o := range longest {
		placed[time.Duration(o.Return)] = true
	}
	for i, e := range segment {
		if !placed[e.At] {
			c.keep(n, &Violation{
				Rule: Register, Name: n.name, Text: "this use has no place in any order: " + e.String(),
				Before: slices.Clone(segment[max(0, i-eventsBefore+1) : i+1]),
				After:  slices.Clone(segment[i+1 : min(len(segment), i+1+eventsAfter)]),
			})
			return
		}
	}
}
