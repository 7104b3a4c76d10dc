// Package durable keeps small files that are as they were or as they became
// whenever a machine fails, and locks between processes that end with their
// process. Guards whose resource is on this host keep their watermarks with it.
package durable
