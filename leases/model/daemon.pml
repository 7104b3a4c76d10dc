/*
 * Daemons: sessions and their entries. Whatever a daemon does it may do late.
 */

/* The deadline is compared before anything is served (I4). */
#ifdef DEADLINE_NOT_FIRST
#define ACTS(h) (lease[h] == ready)
#else
#define ACTS(h) (lease[h] == ready && until[h] > 1)
#endif

/* A lease that nobody uses is given back. When all is calm it is kept, lest its end
 * hides what is left on it. */
inline rest(h) {
	if
	:: !calm && lease[h] == ready && place[FIRST(h)] == free && place[LAST(h)] == free &&
	   (session[FIRST(h)] == idle || session[FIRST(h)] == cut) &&
	   (session[LAST(h)] == idle || session[LAST(h)] == cut) ->
		forget_lease(h);
		lease_gone(h);
		lease[h] = nolease
	:: else
	fi
}

/* The key of an entry that is certainly not in etcd may be used again (I1). */
inline free_place(c) {
	place[c] = free;
	before[c] = 0;
	fence[c] = 0;
	claim_known(c);
	rest(HOST(c))
}

inline send_put(c) {
	d_step {
		ACTS(HOST(c)) && !stale[HOST(c)] && session[c] == waiting && place[c] == free ->
		place[c] = sent;
		txn[c] = put;
#ifdef LOOK_BEFORE_PUT
		before[c] = PRESENT;
#endif
		printf("daemon %d: sends the put for client %d\n", HOST(c), c)
	}
}

/* A put's answer. If the session has ended meanwhile the entry is given up. */
inline put_answered(c) {
	d_step {
		ACTS(HOST(c)) && place[c] == sent && txn[c] == done ->
		txn[c] = none;
		entered(c);
		printf("daemon %d: the entry of client %d has revision %d\n", HOST(c), c, fence[c])
	}
}

inline entered(c) {
	if
	:: session[c] == waiting -> place[c] = live
	:: session[c] == closing -> place[c] = live
	:: else -> place[c] = given
	fi
}

/* Given-up entries of this host. One whose put is not answered does not count. */
#define GIVEN(c, h) (HOST(c) == h && place[c] == given -> BIT(fence[c]) : 0)
#define GIVEN_UP(h) (GIVEN(0, h) | GIVEN(1, h) | GIVEN(2, h))

/* Nothing is before the entry but what is given up here (I2, I3). */
#ifdef HANDOFF_PAST_FOREIGN
#define TURN(c) ((before[c] & ~GIVEN_UP(HOST(c))) == 0 || (before[c] & GIVEN_UP(HOST(c))) != 0)
#else
#define TURN(c) ((before[c] & ~GIVEN_UP(HOST(c))) == 0)
#endif

inline grant(c) {
	d_step {
		ACTS(HOST(c)) && session[c] == waiting && place[c] == live && TURN(c) ->
		session[c] = holding;
		if
		:: before[c] == 0 -> printf("daemon %d: grants client %d, fence %d\n", HOST(c), c, fence[c])
		:: else ->
			printf("daemon %d: hands over to client %d, fence %d\n", HOST(c), c, fence[c]);
			reach(HAND_OVER)
		fi;
		claim_grant(c)
	}
}

/* The daemon reads that the client has given up. */
inline read_closing(c) {
	d_step {
		session[c] == closing && (ACTS(HOST(c)) || lease[HOST(c)] != ready) ->
		session[c] = idle;
		if
		:: place[c] == live -> place[c] = given
		:: else
		fi;
		rest(HOST(c));
		printf("daemon %d: reads that client %d has given up\n", HOST(c), c)
	}
}

/* No epoch is needed for it: it is guarded by the create revision (I6). */
inline send_drop(c) {
	d_step {
		ACTS(HOST(c)) && place[c] == given && txn[c] == none ->
		printf("daemon %d: sends the deletion of client %d's entry\n", HOST(c), c);
		txn[c] = drop;
#ifdef KEY_FREE_UNCONFIRMED
		delay(c);
		free_place(c)
#endif
	}
}

/* A Txn is waited for no more. */
inline delay(c) {
	if
	:: txn[c] == put -> late[c] = put
	:: txn[c] == drop -> late[c] = drop; meant[c] = fence[c]
	:: else
	fi;
	txn[c] = none
}

inline drop_answered(c) {
	d_step {
		ACTS(HOST(c)) && place[c] == given && txn[c] == done ->
		txn[c] = none;
		printf("daemon %d: client %d's entry is deleted\n", HOST(c), c);
		free_place(c)
	}
}

/* The guard has refused the Txn: a put is sent again, or not wanted any more; what
 * was to be deleted is gone. */
inline txn_refused(c) {
	d_step {
		ACTS(HOST(c)) && txn[c] == refused ->
		txn[c] = none;
		printf("daemon %d: client %d's Txn was refused\n", HOST(c), c);
		if
		:: place[c] == sent -> reach(FENCED_OFF)
		:: else -> reach(GONE_BEFORE)
		fi;
		free_place(c)
	}
}

/* No answer in time. The Txn may have been applied, or be applied later. A deletion
 * is just sent again. */
inline no_answer(c) {
	d_step {
		ACTS(HOST(c)) && (txn[c] == put || txn[c] == drop || txn[c] == done) && late[c] == none && troubles < TROUBLES && !calm ->
		troubles++;
		delay(c);
		printf("daemon %d: no answer to client %d's Txn\n", HOST(c), c);
		if
		:: place[c] == sent ->
#ifdef SILENCE_IS_NO
			free_place(c)
#else
			doubt[c] = true;
			stale[HOST(c)] = true
#endif
		:: else
		fi
	}
}

/* With the epoch replaced since, what a read shows is final (I5). */
inline decide(c) {
	d_step {
		ACTS(HOST(c)) && doubt[c] && !stale[HOST(c)] ->
		doubt[c] = false;
		if
		:: entry[c] == 0 ->
			printf("daemon %d: client %d's entry is not there\n", HOST(c), c);
			reach(NOT_FOUND);
			free_place(c)
		:: else ->
			printf("daemon %d: client %d's entry is there\n", HOST(c), c);
			reach(FOUND);
			entered(c)
		fi
	}
}
