// Package etcdtest runs real etcd members for tests.
//
// Start runs one inside the test's process, which is quick. StartCluster runs
// members as processes of their own, which can be frozen and killed; it starts
// the test binary anew, so its package must call Main, or Member, from TestMain.
//
// Members listen on Unix sockets in directories of their own, so that packages
// tested side by side never meet. What they keep is not synced to disk unless
// asked for: that survives kill -9 all the same.
package etcdtest
