/*
 * Daemons: leases and their deadlines.
 */

#define WANTED(h) (session[FIRST(h)] == waiting || session[LAST(h)] == waiting)

/* A new lease, with its first epoch. The grant's answer takes no time here; a
 * renewal's does. */
inline grant_lease(h) {
	d_step {
		lease[h] == nolease && WANTED(h) ->
		lease[h] = ready;
		left[h] = WHOLE;
		until[h] = FRESH;
		printf("daemon %d: has a lease\n", h)
	}
}

inline forget_lease(h) {
	until[h] = 0;
	slow[h] = false;
	stale[h] = false;
	forget_renewal(h)
}

inline forget_renewal(h) {
	renewal[h] = none;
	age[h] = 0;
	missed[h] = false
}

/* All sessions of the lease end, before anything else is done. What is under way may
 * still arrive. Requests that were never sent wait for the next lease, unless the
 * daemon has crashed. */
inline end_sessions(h, crashed) {
	for (i : FIRST(h) .. LAST(h)) {
		delay(i);
		if
		:: session[i] == holding || session[i] == frozen -> session[i] = cut
		:: session[i] == waiting && !crashed && place[i] == free
		:: session[i] == cut
		:: else -> session[i] = idle; fence[i] = 0
		fi;
		place[i] = free;
		before[i] = 0;
		doubt[i] = false
	}
	i = 0;
	forget_lease(h);
	if
	:: left[h] > 1 -> left[h] = 1
	:: else
	fi;
	lease[h] = dead
}

/* The deadline less margin has come, or etcd has told that the lease is gone. */
inline die(h) {
	d_step {
		lease[h] == ready && (until[h] <= 1 || left[h] == 0) ->
		printf("daemon %d: the lease is dead, its sessions are cut\n", h);
		end_sessions(h, false)
	}
}

/* The daemon's end shuts its sockets too. */
inline crash(h) {
	d_step {
		lease[h] == ready && troubles < TROUBLES && !calm ->
		troubles++;
		printf("daemon %d: crashes\n", h);
		end_sessions(h, true)
	}
}

/* The daemon, or the one that is started after it, has the lease revoked. */
inline revoke(h) {
	d_step {
		lease[h] == dead ->
		printf("daemon %d: has revoked the lease\n", h);
		lease_gone(h);
		lease[h] = nolease
	}
}

/* The moment is noted, then the renewal sent. One that takes too long is followed
 * by another. */
inline send_renewal(h) {
	d_step {
		ACTS(h) && TIME && !calm && (renewal[h] == none && (until[h] < FRESH || slow[h]) || renewal[h] != none && age[h] > 0) ->
		renewal[h] = sent;
		age[h] = 0;
		missed[h] = false;
		printf("daemon %d: sends a renewal\n", h)
	}
}

#ifdef DEADLINE_FROM_REPLY
#define COUNTED(h) FRESH
#define OLDEST TTL
#else
#define COUNTED(h) (FRESH - age[h])
#define OLDEST (FRESH - 2) /* an older answer brings nothing */
#endif

inline renewed(h) {
	d_step {
		ACTS(h) && renewal[h] == done ->
		if
		:: COUNTED(h) >= until[h] -> until[h] = COUNTED(h); slow[h] = missed[h]
		:: else
		fi;
		if
		:: age[h] > 0 -> reach(AGED_ANSWER)
		:: else
		fi;
		forget_renewal(h);
		printf("daemon %d: the renewal is answered, %d to the deadline\n", h, until[h] - 1)
	}
}

#ifdef NO_EPOCH
#define GUARDED(t) false
#else
#define GUARDED(t) ((t) == put)
#endif

/* The epoch key is written anew: no put that was sent before can be applied. */
inline replace_epoch(h) {
	d_step {
		ACTS(h) && stale[h] && left[h] > 0 ->
		stale[h] = false;
		for (i : FIRST(h) .. LAST(h)) {
			if
			:: GUARDED(late[i]) -> late[i] = none
			:: else
			fi;
			if
			:: GUARDED(txn[i]) -> txn[i] = refused
			:: else
			fi
		}
		i = 0;
		printf("daemon %d: has replaced the epoch\n", h)
	}
}
