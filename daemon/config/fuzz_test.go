package config

import "testing"

// FuzzFile looks for a file that stops the daemon in any way but by a message.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		"ttl: 15s\nendpoints: [a:1, b:2]\n", "&a ttl: *a\n", "? [x]\n: y\n", "<<: {a: b}\n", "---\n...\n", "- - -",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := document(data)
		l := newLoader(Process{UID: 1})
		if err != nil {
			l.failYAML("c.yaml", err)
		} else {
			l.readMapping("c.yaml", root)
		}
		for _, problem := range l.problems {
			if problem.Error() == "" {
				t.Error("a problem without a message")
			}
		}
	})
}
