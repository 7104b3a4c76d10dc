package ipc

import "unicode/utf8"

// MatchGlob reports whether a name matches LIST's glob: '*' stands for any
// run of characters, '/' included, '?' for any one character, and a backslash
// takes the special meaning from the character after it.
func MatchGlob(glob, name string) bool {
	star, resume := -1, 0 // where to try again: one more character for the last '*'
	g, n := 0, 0
	for n < len(name) {
		if g < len(glob) && glob[g] == '*' {
			g++
			star, resume = g, n
			continue
		}
		if width, next := matchOne(glob[g:], name[n:]); width > 0 {
			n, g = n+width, g+next
			continue
		}
		if star < 0 {
			return false
		}
		_, width := utf8.DecodeRuneInString(name[resume:])
		resume += width
		g, n = star, resume
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}

// matchOne matches the first character of a name, which is not empty, and says
// how many bytes of the name and of the glob that took; 0 if it does not match.
func matchOne(glob, name string) (width, next int) {
	if glob == "" {
		return 0, 0
	}
	if glob[0] == '?' {
		_, width = utf8.DecodeRuneInString(name)
		return width, 1
	}
	if glob[0] == '\\' && len(glob) > 1 {
		next, glob = 1, glob[1:]
	}
	if glob[0] != name[0] {
		return 0, 0
	}
	return 1, next + 1
}
