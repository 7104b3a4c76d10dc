/*
 * etcd. A Txn is one step. What is known to be gone stays so (I2), so a daemon that
 * learns of it late is one that acts late, and it is taken out of what is before
 * others as it goes.
 */

inline remove(c) {
	before[0] = before[0] & ~BIT(entry[c]);
	before[1] = before[1] & ~BIT(entry[c]);
	before[2] = before[2] & ~BIT(entry[c]);
	entry[c] = 0
}

/* The put and the look in one Txn. */
inline create(c) {
	revision++;
	if
	:: place[c] == sent ->
		fence[c] = revision;
#ifndef LOOK_BEFORE_PUT
		before[c] = PRESENT
#endif
	:: else
	fi;
	entry[c] = revision;
	printf("etcd: client %d's entry is created at %d\n", c, revision);
	claim_known(c)
}

inline apply_put(c) {
	d_step {
		txn[c] == put && left[HOST(c)] > 0 ->
		if
		:: entry[c] == 0 ->
			create(c);
			txn[c] = done
#ifdef SHARED_REVISION
			;
			if
			:: c == 0 && txn[1] == put && entry[1] == 0 ->
				revision--;
				create(1);
				before[1] = before[1] & ~BIT(revision);
				txn[1] = done
			:: else
			fi
#endif
		:: else ->
#ifdef KEY_FREE_UNCONFIRMED
			fence[c] = entry[c]; /* a put keeps the create revision of what is there */
			txn[c] = done
#else
			txn[c] = refused
#endif
		fi
	}
}

/* A deletion is guarded by the create revision. */
#ifdef DROP_UNGUARDED
#define MEANT(c, created) (entry[c] != 0)
#else
#define MEANT(c, created) (entry[c] != 0 && entry[c] == created)
#endif

inline apply_drop(c) {
	d_step {
		txn[c] == drop && left[HOST(c)] > 0 ->
		if
		:: MEANT(c, fence[c]) ->
			printf("etcd: client %d's entry of %d is deleted\n", c, entry[c]);
			remove(c);
			txn[c] = done
		:: else -> txn[c] = refused
		fi
	}
}

/* A Txn arrives that its daemon waits for no more. */

inline apply_late(c) {
	d_step {
		late[c] != none && left[HOST(c)] > 0 ->
		if
		:: late[c] == put && entry[c] == 0 ->
			printf("etcd: a late put of client %d's entry arrives\n", c);
			create(c);
			reach(LATE_PUT)
		:: late[c] == drop && MEANT(c, meant[c]) ->
			printf("etcd: a late deletion of client %d's entry arrives\n", c);
			remove(c);
			reach(LATE_DROP)
		:: else
		fi;
		late[c] = none;
		meant[c] = 0
	}
}

inline renew(h) {
	d_step {
		renewal[h] == sent && left[h] > 0 ->
		renewal[h] = done;
		left[h] = WHOLE;
		printf("etcd: lease of daemon %d renewed\n", h)
	}
}

/* A lease ends with its entries, and nothing can be put on it any more. */
inline lease_gone(h) {
	for (i : FIRST(h) .. LAST(h)) {
		remove(i);
		late[i] = none;
		meant[i] = 0
	}
	i = 0;
	left[h] = 0
}

/* Never before its time; how long after is etcd's choice. A daemon that has not
 * been stopped beyond its deadline has cut all sessions by then (P3). */
inline expire(h) {
	d_step {
		left[h] == 1 ->
		printf("etcd: the lease of daemon %d expires\n", h);
		claim(CLOSED_IN_TIME, closed_in_time, lease[h] != ready || until[h] == 0);
		if
		:: lease[h] == ready -> reach(ENDED_UNDER_IT)
		:: else
		fi;
		lease_gone(h)
	}
}
