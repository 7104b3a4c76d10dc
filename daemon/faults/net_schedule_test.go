package faults_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

// A mishap happens at some time after the begin, and is put right later.
type mishap struct {
	at, lasts time.Duration
	text      string
	do, undo  func()
}

// A lane draws one mishap after the other; those of different lanes happen side
// by side.
type lane func(*rand.Rand) mishap

// schedule is what the random numbers make of a lane: mishaps one after the
// other, with pauses between, as long as the time lasts.
func schedule(random *rand.Rand, draw lane, until time.Duration) (all []mishap) {
	at := between(random, 0, 2*time.Second)
	for {
		m := draw(random)
		m.at = at
		if at += m.lasts + between(random, 200*time.Millisecond, 4*time.Second); at > until {
			return all
		}
		all = append(all, m)
	}
}

// between is a random duration.
func between(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)))
}

// follow has the mishaps of a schedule happen.
func follow(t testing.TB, all []mishap) {
	begin := time.Now()
	for _, m := range all {
		time.Sleep(time.Until(begin.Add(m.at)))
		t.Logf("%.2f s, for %v: %s", time.Since(begin).Seconds(), m.lasts, m.text)
		m.do()
		if m.undo != nil {
			time.Sleep(time.Until(begin.Add(m.at + m.lasts)))
			m.undo()
		}
	}
}
