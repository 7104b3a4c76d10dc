// Package redisguard makes keys of Redis or Valkey refuse old fencing tokens.
//
// A [Guard] keeps the watermark in a key of its own, a hash, and runs one script
// for each call. The server runs scripts one at a time, so that comparing, storing
// and writing is one step:
//
//	guard := redisguard.New(redisClient{client}, "{job}:fence")
//	err := guard.Claim(ctx, token) // and then read
//	err = guard.Write(ctx, token, redisguard.Write{
//		Keys:     []string{"{job}:state", "{job}:log"},
//		Commands: [][]any{{"SET", "{job}:state", "done"}, {"RPUSH", "{job}:log", "done"}},
//	})
//
// The client is yours. What the package needs of it is an [Evaler], which with
// github.com/redis/go-redis/v9 is
//
//	type redisClient struct{ redis.UniversalClient }
//
//	func (c redisClient) Eval(ctx context.Context, script string, keys []string, args ...any) (any, error) {
//		return redis.NewScript(script).Run(ctx, c.UniversalClient, keys, args...).Result()
//	}
//
// In a Redis Cluster all keys of a guard must be in one slot: put the same tag in
// braces into each of them, as {job} above.
//
// # In other languages
//
// The script is fence.lua in this package's directory, and [Script]. It takes what
// its first lines say. At a terminal:
//
//	$ redis-cli --eval fence.lua {job}:fence , claim 8123 cdf818194e3a8c32
//	1) "ok"
//	$ redis-cli --eval fence.lua {job}:fence {job}:state , write 8123 cdf818194e3a8c32 3 SET {job}:state half
//	1) "ok"
//	$ redis-cli --eval fence.lua {job}:fence , claim 8200 cdf818194e3a8c32
//	1) "ok"
//	$ redis-cli --eval fence.lua {job}:fence {job}:state , write 8123 cdf818194e3a8c32 3 SET {job}:state late
//	1) "stale"
//	2) "8200"
//	$ redis-cli HGETALL {job}:fence
//	1) "fence"
//	2) "8200"
//	3) "cluster"
//	4) "cdf818194e3a8c32"
//
// When etcd has been replaced by another cluster, set the watermark by hand: the new
// cluster, and no fence of it yet.
//
//	$ redis-cli HSET {job}:fence fence 0 cluster 5f3759df
//	(integer) 0
//	$ redis-cli --eval fence.lua {job}:fence , claim 8201 cdf818194e3a8c32
//	1) "cluster"
//	2) "0"
//	3) "5f3759df"
//	$ redis-cli --eval fence.lua {job}:fence , claim 17 5f3759df
//	1) "ok"
//
// # What it does not do
//
// Redis undoes nothing. When one of several commands fails, as INCR does on a key
// that holds no number, those before it stay done, those after it are not done, and
// the watermark has been raised.
//
// A client that repeats a call by itself when a connection breaks, as most do, may
// write twice. That is no harm to the fence, but it is to INCR and RPUSH: switch
// the repeating off (MaxRetries: -1), or use WriteOnce, which does not write twice
// and says [fencing.ErrSpent].
//
// A watermark is worth what the server's memory is worth:
//
//   - Replication is asynchronous. A replica that is made primary has the
//     watermark of a moment ago, and lets tokens in that were refused. WAIT is no
//     cure: it says how many replicas have a write, after it was done, and not that
//     one of them is chosen. Sentinel and Redis Cluster fail over in this way. Where
//     that matters, keep the resource in something that agrees before it answers, or
//     run one server.
//   - Eviction takes watermarks too, under the policies allkeys-*. The others leave
//     keys alone that never expire, as the watermark does not; noeviction is best.
//   - A restart forgets what was not on disk. RDB snapshots alone lose minutes,
//     appendfsync everysec a second: use appendonly yes and appendfsync always.
//   - FLUSHALL, DEL and restoring a backup forget as well. The key is to be neither
//     deleted nor given an expiry.
//
// [Guard.Check] looks for some of this. Whatever else runs on the server must
// write the guarded keys by the guard alone; an ACL can see to it that it does.
package redisguard
