// Package netns is a network for tests. Its hosts are network namespaces, in
// which a test runs whatever processes it likes, and its only switch is the
// test: each packet from one host to another is read and written by it, or is
// lost, late or refused, as the test says for each pair of hosts and each
// direction. A change holds from the next packet on.
//
// It takes root and /dev/net/tun, and no firewall, traffic shaper or program, so
// that it works the same on every kernel.
package netns
