package etcd

import (
	"fmt"
	"strconv"
	"strings"
)

// version is a server's version; a pre-release counts as the one before it.
type version struct{ major, minor, patch int }

// parseVersion reads what Maintenance.Status reports, such as "3.5.13",
// "3.6.0-rc.2" or "3.7.3+git".
func parseVersion(s string) (version, error) {
	s, _, _ = strings.Cut(s, "+")
	s, pre, _ := strings.Cut(s, "-")
	fields := strings.Split(s, ".")
	if len(fields) != 3 {
		return version{}, fmt.Errorf("read server version %q: not major.minor.patch", s)
	}
	var n [3]int
	for i, f := range fields {
		v, err := strconv.ParseUint(f, 10, 16)
		if err != nil {
			return version{}, fmt.Errorf("read server version %q: %w", s, err)
		}
		n[i] = int(v)
	}
	if pre != "" {
		n[2]--
	}
	return version{n[0], n[1], n[2]}, nil
}

func (v version) before(w version) bool {
	if v.major != w.major {
		return v.major < w.major
	}
	if v.minor != w.minor {
		return v.minor < w.minor
	}
	return v.patch < w.patch
}

// refuse says why a server must not be used, or nothing. Before 3.5.13 a leader
// that had lost its office still acknowledged renewals and later revoked the
// leases (etcd issue 15247), which takes locks away or gives them out twice.
// Release 3.4 also counts leases on the wall clock, and is at its end of life.
func (v version) refuse() string {
	switch {
	case v.before(version{3, 5, 0}):
		return "its leases follow the wall clock and it is no longer maintained"
	case v.before(version{3, 5, 3}):
		return "its members may hold different data (etcd issue 13766)"
	case v.before(version{3, 5, 13}):
		return "a deposed leader may acknowledge lease renewals (etcd issue 15247)"
	}
	return ""
}

// warn says what a server that may be used should be upgraded for, or nothing.
func (v version) warn() string {
	if why := v.refuse(); why != "" {
		return why
	}
	old35 := v.before(version{3, 5, 28})
	old36 := v.minor == 6 && v.before(version{3, 6, 9})
	if v.major == 3 && (old35 || old36) {
		return "linearizable reads may be stale after a pause (etcd issue 20418) and lease calls are not authorised (CVE-2026-33413)"
	}
	return ""
}
