// Package guards holds the guards of lockside against the real servers that they
// are for. All of it is tests: a guard passes fencingtest, and one that is broken
// on purpose does not.
package guards
