//go:build race

package faults_test

// raced says that the race detector is on, under which all takes several times
// as long.
const raced = true
