// Package httpguard carries fencing tokens over HTTP: a server refuses what comes
// with a stale one, and a client learns so.
//
// # The exchange
//
// A request that writes has its holder's token in the header Lockside-Fence, as
// [fencing.Token.String] gives it. The two other calls of [fencing.Guard] have a
// further header, of the value ?1 (true, in RFC 9651):
//
//	claim        POST with Lockside-Claim: ?1, to the resource; no body, answer 204
//	write        any method that is not safe
//	write once   the same with Lockside-Once: ?1
//
// A claim is a request of its own. It is a POST, since what changes a watermark
// must not be cached, fetched ahead or repeated by what lies between. GET, HEAD,
// OPTIONS, TRACE and QUERY are safe (RFC 9110, section 9.2.1): they pass. Every
// other method writes, those too that nobody has heard of.
//
// An answer to what a guard let in has the token in Lockside-Fence as well. It is
// the client's proof that the server looks at fences at all. A refusal has the
// body of RFC 9457, application/problem+json, with a member error, and no cache
// keeps it:
//
//	400  token       Lockside-Fence is no fencing token
//	404  unknown     there is no such resource; it says nothing about the lock
//	409  spent       the token's one write has been done
//	409  cluster     the token is of another etcd cluster
//	409  unfinished  the token's one write began, and may have been done or not
//	412  stale       the lock has gone to somebody else: stop
//	428  missing     Lockside-Fence is not there
//
// In any language, here with curl, where two holders have 8122 and 8123:
//
//	$ curl -sS -w '%{http_code}\n' -X POST -H 'Lockside-Fence: 8122' -H 'Lockside-Claim: ?1' "$URL"
//	204
//	$ curl -sS -w '%{http_code}\n' -X PUT -H 'Lockside-Fence: 8122' -d first "$URL"
//	204
//	$ curl -sS -w '%{http_code}\n' -X POST -H 'Lockside-Fence: 8123' -H 'Lockside-Claim: ?1' "$URL"
//	204
//	$ curl -sS "$URL"
//	first
//	$ curl -sS -w '%{http_code}\n' -X PUT -H 'Lockside-Fence: 8122' -d late "$URL"
//	{"title":"Precondition Failed","status":412,"detail":"the fencing token 8122 is stale: 8123 has been seen","error":"stale","token":"8122","highest":"8123"}
//	412
//	$ curl -sS -w '%{http_code}\n' -X PUT -H 'Lockside-Fence: 8123' -d second "$URL"
//	204
//	$ curl -sS -w '%{http_code}\n' -X PUT -d careless "$URL"
//	{"title":"Precondition Required","status":428,"detail":"a write needs the header Lockside-Fence","error":"missing"}
//	428
//	$ curl -sS "$URL"
//	second
//
// # Servers
//
// Where the handlers write to a database, the watermark belongs there: [Require]
// reads the token, [Do] has the guard of that database do what the request asks
// for, and [Refuse] answers.
//
// Where they have no transaction, a [Guard] keeps the watermarks and lets one
// request at a time reach a resource. A greater token is on the disk before the
// handler runs. What a handler has to know of it:
//
//   - The body has been read before, and the answer is sent after the resource is
//     let go, so that a client which is paused half-way keeps nobody out. The
//     handler's ResponseWriter is neither a Flusher nor a Hijacker.
//   - What it starts has ended when it returns. http.TimeoutHandler belongs around
//     the guard, not within, since it returns while its handler goes on.
//   - If it fails, the watermark stays raised, and what it wrote stays written:
//     to undo that is up to the handler.
//   - A write once counts as done when the status is below 400. Else, or after a
//     crash, nobody knows, and a repetition is [ErrUnfinished].
//
// The name of a resource must be the same however a request spells it, and a name
// that nobody made must be [fencing.ErrUnknown]: watermarks are kept for ever, so
// that names which clients make up would fill the disk.
//
// A fence is no credential. Whoever may claim can shut all others out with a great
// number: the guard's place is behind the check of who asks. A server must be
// reached only through its guard, and what lies between must pass the headers on.
// If it drops them, requests are answered 428.
//
// # Clients
//
// A [Client] is a [fencing.Guard]. A [Transport] gives any http.Client the header
// and the errors. net/http copies headers of its own accord to whatever host a
// redirect names, but for a few that it knows (Authorization, Cookie and the
// like): with Header.Set a token goes to strangers, and with a Transport not.
//
// A write that is repeated, by the caller or by a library that retries, may come
// after one that the holder has sent since. net/http itself repeats no request
// that has reached a server, but for safe methods and those with an
// Idempotency-Key.
package httpguard
