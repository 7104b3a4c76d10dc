package dirguard

// OnStep has a function called at each step of a call.
func (g *Guard) OnStep(step func(name string)) { g.step = step }
