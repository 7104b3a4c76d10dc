/*
 * Time passes, for etcd and for the clock of each host, and comes to an end.
 */

/* A host's clock misses at most one of the ticks that a deadline is counted over. */
#define MAY_MISS(h) (lease[h] == ready && until[h] > 1 && !slow[h] && !missed[h])

/* Time goes on whether or not a daemon or a client has done what was due: then it
 * has been stopped, until it does something again. */
inline tick(miss0, miss1) {
	d_step {
		TIME && !calm && (!miss0 || MAY_MISS(0)) && (!miss1 || MAY_MISS(1)) &&
		(left[0] > 1 || left[1] > 1 || until[0] > 0 || until[1] > 0) ->
		printf("time: a tick, missed by %d and %d\n", miss0, miss1);
		for (i : 0 .. CLIENTS - 1) {
			if
			:: session[i] == holding && until[HOST(i)] <= 1 -> session[i] = frozen
			:: else
			fi
		}
		i = 0;
		pass(0, miss0);
		pass(1, miss1)
	}
}

/* Once nothing can be done on a lease but end it, how long etcd keeps it makes no
 * difference: it may end at once. */
inline pass(h, miss) {
	if
	:: left[h] > 1 -> left[h]--
	:: else
	fi;
	if
	:: until[h] > 0 && miss ->
		slow[h] = true;
		missed[h] = renewal[h] != none
	:: until[h] > 0 && !miss ->
		until[h]--;
		if
		:: until[h] <= 1 ->
			slow[h] = false;
			forget_renewal(h)
		:: until[h] > 1 && renewal[h] == none
		:: until[h] > 1 && renewal[h] != none && age[h] < OLDEST -> age[h]++
		:: else -> forget_renewal(h)
		fi;
		if
		:: until[h] == 0 && left[h] > 1 -> left[h] = 1
		:: else
		fi
	:: else
	fi
}

#define OVER(c) (session[c] == idle && place[c] == free)
