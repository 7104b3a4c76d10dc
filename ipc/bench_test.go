package ipc_test

import (
	"testing"
	"time"

	"lockside/ipc"
)

func BenchmarkParse(b *testing.B) {
	for _, line := range []string{
		"LOCK nightly", "LOCK nightly wait=5s ttl=15s", "LOCK gr%C3%BC%C3%9Fe%20b", "UNLOCK nightly fence=81234", "PING",
	} {
		b.Run(line, func(b *testing.B) {
			var r ipc.Request
			text := []byte(line)
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReply(b *testing.B) {
	g := &ipc.Grant{
		Fence: 81234, Cluster: 0xcdf818194e3a8c32, Lease: 0x694d99d1c8f2a001, TTL: 15 * time.Second,
		Names: []string{"nightly"}, Keys: []string{"lockside/nightly/694d99d1c8f2a001-0"},
	}
	var err error = ipc.ErrBusy
	buf := make([]byte, 0, ipc.MaxLine)
	for name, write := range map[string]func(){
		"grant": func() { buf = ipc.AppendGrant(buf[:0], g) },
		"error": func() { buf = ipc.AppendErr(buf[:0], err) },
		"held":  func() { buf = ipc.AppendEnd(ipc.AppendDuration(ipc.AppendOK(buf[:0]), "held", time.Second)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				write()
			}
		})
	}
}

func BenchmarkParseReply(b *testing.B) {
	line := []byte("OK fence=81234 lease=694d99d1c8f2a001 ttl=15s until=4711.25s key=lockside/nightly/694d99d1c8f2a001-0")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ipc.ParseReply(line); err != nil {
			b.Fatal(err)
		}
	}
}
