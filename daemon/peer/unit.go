package peer

import "strings"

// parseCgroup takes the units out of /proc/PID/cgroup, cgroups(7): from the
// unified hierarchy, and where that has none from systemd's named one, which
// hosts with version 1 use.
func parseCgroup(text []byte) (unit, userUnit string) {
	named := ""
	for line := range strings.Lines(string(text)) {
		hierarchy, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, path, _ := strings.Cut(path, ":")
		switch {
		case hierarchy == "0" && controllers == "":
			if unit, userUnit = parseUnits(path); unit != "" {
				return unit, userUnit
			}
		case controllers == "name=systemd":
			named = path
		}
	}
	return parseUnits(named)
}

// parseUnits takes the units out of the path of a cgroup. The system's unit is
// the first directory below the slices. Below a user's manager the user's unit
// is found in the same way. Anything further down the unit has made for itself.
//
//	/system.slice/backup.service
//	/user.slice/user-1000.slice/session-3.scope
//	/user.slice/user-1000.slice/user@1000.service/app.slice/editor.service
func parseUnits(path string) (unit, userUnit string) {
	path = strings.TrimSuffix(path, " (deleted)")
	unit, rest := firstUnit(path)
	if strings.HasPrefix(unit, "user@") && strings.HasSuffix(unit, ".service") {
		userUnit, _ = firstUnit(rest)
	}
	return unit, userUnit
}

// firstUnit skips slices. It is empty for a path whose first other directory
// is no unit, such as that of a container.
func firstUnit(path string) (unit, rest string) {
	for path != "" {
		name := ""
		name, path, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if strings.HasSuffix(name, ".slice") {
			continue
		}
		// A name that the kernel could take for a file of its own has an
		// underscore before it.
		name = strings.TrimPrefix(name, "_")
		if !isUnit(name) {
			return "", ""
		}
		return name, path
	}
	return "", ""
}

// maxUnit is the longest name of a unit, systemd.unit(5).
const maxUnit = 255

// isUnit reports whether name is that of a unit that processes run in,
// systemd.unit(5).
func isUnit(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	if dot < 1 || len(name) > maxUnit {
		return false
	}
	switch name[dot:] {
	case ".service", ".scope", ".socket", ".mount", ".swap":
	default:
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune(`:-_.\@`, r)
	})
}
