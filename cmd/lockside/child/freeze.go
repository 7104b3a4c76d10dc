package child

import "golang.org/x/sys/unix"

// freeze stops all of the tree that runs, round by round until one meets
// nothing new, and remembers it: what was stopped before must stay so.
func (g *guard) freeze() {
	known := make(map[identity]bool)
	for met := true; met; {
		tree, err := descendants()
		if err != nil {
			return
		}
		met = false
		for _, p := range tree {
			if !p.running() || known[p.identity] {
				continue
			}
			known[p.identity], met = true, true
			if p.signal(unix.SIGSTOP) == nil {
				g.frozen = append(g.frozen, p.identity)
			}
		}
	}
}

func (g *guard) thaw() {
	for _, id := range g.frozen {
		_ = id.signal(unix.SIGCONT)
	}
	g.frozen = nil
}
