package bench

import "fmt"

// A Load is what workers do.
type Load struct {
	Shared  bool // all workers want one name, else each its own
	Workers int
	Hosts   int // among which the workers are divided evenly
}

// Kind names the load without its size.
func (l Load) Kind() string {
	switch {
	case l.Hosts > 1:
		return "hosts"
	case l.Shared:
		return "one"
	}
	return "own"
}

func (l Load) String() string {
	return fmt.Sprintf("%s-%d", l.Kind(), l.Workers)
}

// name is what a worker locks in a run with that label.
func (l Load) name(label string, worker int) string {
	if l.Shared {
		return label
	}
	return fmt.Sprintf("%s-%d", label, worker)
}
