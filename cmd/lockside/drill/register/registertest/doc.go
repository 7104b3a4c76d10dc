// Package registertest starts the servers that tests of registers need: real ones,
// on Unix sockets or loopback, with directories of their own.
package registertest
