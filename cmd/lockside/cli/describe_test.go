package cli

import (
	"testing"
	"time"

	"lockside/ipc"
)

func TestDescribe(t *testing.T) {
	now := time.Date(2026, 12, 2, 4, 0, 0, 0, time.UTC)
	for want, e := range map[string]ipc.Entry{
		"backup (pid 4242, user app) on web-3 for 12s": {
			Comm: "backup", PID: 4242, User: "app", Host: "web-3", Since: now.Add(-12 * time.Second),
		},
		"socat (pid 7, by hand)":  {Comm: "socat", PID: 7, Owner: "by hand"},
		"backup (pid 7)":          {Comm: "lockside", PID: 7, Owner: "backup"},
		"lockside (pid 7)":        {Comm: "lockside", PID: 7},
		"another program":         {},
		"another program for 0s":  {Since: now.Add(time.Hour)}, // its host's clock is ahead
		"another program on db-1": {Host: "db-1"},
	} {
		if got := describe(e, now); got != want {
			t.Errorf("describe(%+v) = %q, want %q", e, got, want)
		}
	}
}

func TestHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"grüße, 你好":          "grüße, 你好",
		"red \x1b[31m\a\r\n": "red ?[31m???",
		"gpj.\u202eexe":      "gpj.?exe",
		"\xff":               "\ufffd",
	} {
		if got := harmless(text); got != want {
			t.Errorf("harmless(%q) = %q, want %q", text, got, want)
		}
	}
}
