/*
 * What there is, and the bounds. Each array is indexed by client or by host.
 */

#define CLIENTS 3
#define HOSTS   2
#define HOST(c)  ((c) / 2) /* clients 0 and 1 are on host 0, client 2 on host 1 */
#define FIRST(h) (2 * (h))
#define LAST(h)  ((h) + 1)

#ifndef LOCKS
#define LOCKS 4 /* LOCK requests in all, so revisions too are at most this */
#endif
#ifndef TROUBLES
#define TROUBLES 1 /* crashes of a daemon and Txns without an answer, in all */
#endif

/* Time and calm can be left out, each to give room for more of the other. */
#ifdef NO_TIME
#define TIME false
#else
#define TIME true
#endif
#ifdef NO_CALM
#define CALM false
#else
#define CALM true
#endif

/* Time is in ticks. A host's clock may miss one of the ticks that a deadline is
 * counted over, and the margin is greater than that. */
#ifndef TTL
#define TTL 4
#endif
#ifndef MARGIN
#define MARGIN 2
#endif
#define FRESH (TTL - MARGIN + 1) /* of until, when its renewal was sent just now */
#define WHOLE (TTL + 1)          /* of left, when etcd has just renewed it */

/* A client's session. */
mtype = {
	idle,    /* there is none */
	waiting, /* it has sent LOCK */
	holding, /* the OK is in its socket; the client believes to hold the name */
	frozen,  /* as holding, but the client has been stopped beyond the deadline */
	closing, /* the client has given up, by UNLOCK or its end; not yet read */
	cut      /* the daemon has shut the socket; the client has not yet read that */
};
mtype session[CLIENTS] = idle;
byte fence[CLIENTS]; /* the create revision of its entry; zero without one */
byte locks;

/* What the daemon knows of the session's entry. */
mtype = {
	free,  /* its key is in no use */
	sent,  /* its enqueue is under way, or of unknown outcome */
	live,  /* it is in etcd */
	given  /* it is given up, and its deletion to be done or under way */
};
mtype place[CLIENTS] = free;
byte before[CLIENTS]; /* the entries before it that may be live, a bit each */
bool doubt[CLIENTS];  /* the outcome of its last Txn is unknown */

/* The Txn of a session's entry that the daemon waits for, and one that it waits for
 * no more although it may still arrive. */
mtype = { none, put, drop, done, refused };
mtype txn[CLIENTS] = none;
mtype late[CLIENTS] = none;
byte meant[CLIENTS]; /* the create revision of what a late deletion is to delete */

/* A daemon's lease, as the daemon has it. */
mtype = {
	nolease,
	ready, /* entries can be put on it */
	dead   /* its sessions are cut, or the daemon has crashed; to be revoked */
};
mtype lease[HOSTS] = nolease;
byte until[HOSTS];   /* ticks to its deadline less margin, and one; 1: it is now, 0: it was */
bool slow[HOSTS];    /* the clock has missed a tick since that deadline's renewal was sent */
bool stale[HOSTS];   /* its epoch has to be replaced */
mtype renewal[HOSTS] = none; /* none, sent to etcd, or done and on its way back */
byte age[HOSTS];     /* ticks since the renewal was sent, by the host's clock */
bool missed[HOSTS];  /* the clock has missed a tick since then */

/* etcd. An entry's key is its client's: a lease lives no longer than the next one's
 * grant, so keys of two leases of one host never meet. */
byte entry[CLIENTS]; /* create revision of the key; zero: there is none */
byte revision;
byte left[HOSTS];    /* ticks that the lease has to live, and one; 1: it may end now, 0: it is gone */

/* The resource: the highest fence it has seen. */
byte highest;

/* For the claims alone. */
byte granted; /* the last grant's fence */
byte accepted; /* the highest fence of an accepted write */

bool calm; /* faults, time and new requests have ended */
byte troubles;

byte i, holders; /* of use within a step; zero between */

#define BIT(revision) ((1 << (revision)) >> 1) /* none for zero */
#define PRESENT (BIT(entry[0]) | BIT(entry[1]) | BIT(entry[2]))
