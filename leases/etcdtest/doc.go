// Package etcdtest runs real etcd members for tests.
//
// Start runs one inside the test's process, which is quick. StartCluster runs
// members as processes of their own, which can be frozen and killed; it starts
// the test binary anew, so its package must call Main, or Member, from TestMain.
//
// Members listen on Unix sockets in directories of their own, so that packages
// tested side by side never meet. What they keep is not synced to disk unless
// asked for: that survives kill -9 all the same.
//
// The members are of the release that this module requires, unless the variable
// LOCKSIDE_TEST_ETCD of the environment names an older one, 3.5 or 3.6. Such a
// member is a program of a module of its own (directory member), which is built
// the first time and then kept in Go's cache; it always runs as a process.
package etcdtest
