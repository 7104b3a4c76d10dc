package etcd

import "testing"

func TestVersionVerdicts(t *testing.T) {
	const fine, warned, refused = "fine", "warned", "refused"
	for _, test := range []struct{ text, want string }{
		{"3.3.27", refused},
		{"3.4.31", refused},
		{"3.4.45", refused},
		{"3.5.0", refused},
		{"3.5.2", refused},
		{"3.5.12", refused},
		{"3.5.13-rc.0", refused},
		{"3.5.13", warned},
		{"3.5.27", warned},
		{"3.5.28", fine},
		{"3.5.35", fine},
		{"3.6.0-rc.2", warned},
		{"3.6.0", warned},
		{"3.6.8", warned},
		{"3.6.9", fine},
		{"3.7.0", fine},
		{"3.7.3+git", fine},
		{"3.8.0-alpha.0", fine},
		{"4.0.0", fine},
	} {
		v, err := parseVersion(test.text)
		if err != nil {
			t.Errorf("parseVersion(%q): %v", test.text, err)
			continue
		}
		got := fine
		switch {
		case v.refuse() != "":
			got = refused
		case v.warn() != "":
			got = warned
		}
		if got != test.want {
			t.Errorf("version %q is %s, want %s", test.text, got, test.want)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, text := range []string{"3.5.13", "3.6.0-rc.2", "3.7.3+git", "", "3.5", "3.5.x", "3.5.-1", "3.5.99999", "a.b.c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parseVersion(text)
		if err == nil && (v.major < 0 || v.minor < 0 || v.patch < -1) {
			t.Errorf("parseVersion(%q) = %v", text, v)
		}
	})
}

func TestParseVersionRefusesWhatIsNotOne(t *testing.T) {
	for _, text := range []string{"", "3", "3.5", "3.5.x", "3.5.-1", "3.5.13.1", "3.5.70000", "not_decided"} {
		if v, err := parseVersion(text); err == nil {
			t.Errorf("parseVersion(%q) = %v, want an error", text, v)
		}
	}
}
