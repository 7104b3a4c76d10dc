// Package crowd is clients of lockside in a process of their own, which can be
// frozen and killed as programs are.
//
// Each client takes names, holds them, uses what they guard, and gives them back,
// over and over, in one of several manners: through package ipc or with the
// protocol's lines, with one name or several, patiently or not, in good order or
// by hanging up. Like a program that is written well, it takes until= as its own
// deadline, and does not touch what a name guards later than that.
//
// What a client is about to do, and what it was told, it writes to the standard
// output, as the events of package history.
package crowd
