package soak

import "testing"

const mib = 1 << 20

func TestFlat(t *testing.T) {
	tests := []struct {
		name  string
		grown int
		parts func(u *usage)
		after Size
	}{
		{"flat", 0, func(u *usage) { u.add(Size{40 * mib, 90}, 0.3); u.add(Size{40 * mib, 90}, 0.9) }, Size{40 * mib, 20}},
		{"a little more", 0, func(u *usage) { u.add(Size{40 * mib, 90}, 0.3); u.add(Size{65 * mib, 90}, 0.9) }, Size{40 * mib, 36}},
		{"more memory", 1, func(u *usage) { u.add(Size{40 * mib, 90}, 0.3); u.add(Size{67 * mib, 90}, 0.9) }, Size{67 * mib, 20}},
		{"more files", 1, func(u *usage) { u.add(Size{40 * mib, 90}, 0.3); u.add(Size{40 * mib, 90}, 0.9) }, Size{40 * mib, 37}},
		{"cold at first", 0, func(u *usage) {
			u.add(Size{1 * mib, 90}, 0.1)
			u.add(Size{40 * mib, 90}, 0.4)
			u.add(Size{40 * mib, 90}, 1)
		}, Size{}},
		{"killed before it was warm", 1, func(u *usage) { u.restart(); u.add(Size{1 * mib, 90}, 0.3); u.add(Size{40 * mib, 90}, 0.9) }, Size{}},
		{"killed later", 0, func(u *usage) { u.add(Size{1 * mib, 90}, 0.3); u.restart(); u.add(Size{40 * mib, 90}, 0.9) }, Size{}},
	}
	for _, test := range tests {
		u := &usage{use: DaemonUse{Host: "host0", Before: Size{20 * mib, 20}}}
		test.parts(u)
		use := u.total()
		use.After = test.after
		if got := use.flat(); len(got) != test.grown {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
