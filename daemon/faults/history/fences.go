package history

// rememberedFences is how many fences of a name are told apart from new ones.
// An older one that comes again is found not to rise.
const rememberedFences = 4096

// fences are the last that were granted of a name.
type fences struct {
	of    map[int64]string // to the client
	order []int64
}

func newFences() fences { return fences{of: map[int64]string{}} }

// add notes a fence, and reports to whom it was granted before.
func (f *fences) add(fence int64, client string) (before string, twice bool) {
	if before, twice = f.of[fence]; twice {
		return before, true
	}
	f.of[fence] = client
	f.order = append(f.order, fence)
	if len(f.order) > rememberedFences {
		delete(f.of, f.order[0])
		f.order = f.order[1:]
	}
	return "", false
}
