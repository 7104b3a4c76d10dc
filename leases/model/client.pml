/*
 * Clients. Whatever a client does it may do at any time or never, so a pause is not
 * a step; only one beyond the deadline leaves a trace (see tick). A write on its way
 * to the resource is one that a stopped client has yet to make.
 */

/* The client sends LOCK. It waits outside while its key is in use. */
inline lock(c) {
	d_step {
		!calm && session[c] == idle && place[c] == free && locks < LOCKS ->
		locks++;
		session[c] = waiting;
		printf("client %d: LOCK\n", c)
	}
}

/* The client sends UNLOCK, hangs up, is killed, or minds its own deadline: from now
 * on it does not hold, whenever the daemon learns of it. */
inline give_up(c) {
	d_step {
		session[c] == holding || session[c] == frozen || (session[c] == waiting && !calm) ->
		session[c] = closing;
		printf("client %d: gives up\n", c)
	}
}

inline read_end_of_file(c) {
	d_step {
		session[c] == cut ->
		session[c] = idle;
		fence[c] = 0;
		printf("client %d: reads end-of-file\n", c)
	}
}

/* The resource refuses a fence lower than the highest it has seen. */
#if defined RESOURCE_TURNED
#define ACCEPTS(f) (highest == 0 || f <= highest)
#elif defined RESOURCE_BLIND
#define ACCEPTS(f) true
#else
#define ACCEPTS(f) (f >= highest)
#endif

inline write(c) {
	d_step {
		!calm && (session[c] == holding || session[c] == frozen || session[c] == cut) ->
		if
		:: ACCEPTS(fence[c]) ->
			printf("resource: accepts a write of client %d with fence %d\n", c, fence[c]);
			highest = fence[c];
			claim(WRITES_RISE, writes_rise, fence[c] >= accepted);
			accepted = fence[c]
		:: else ->
			printf("resource: refuses a write of client %d with fence %d\n", c, fence[c]);
			claim(HOLDER_WRITES, holder_writes, session[c] != holding);
			reach(OLD_WRITE)
		fi
	}
}
