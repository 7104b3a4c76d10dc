/*
 * What is claimed. With -DCLAIM=name only that one is checked.
 */

#define ALL            0
#define ONE_HOLDER     1
#define IN_TURN        2
#define FENCES_RISE    3
#define CLOSED_IN_TIME 4
#define WRITES_RISE    5
#define HOLDER_WRITES  6
#define ENTRY_KNOWN    7
#define NOTHING_LEFT   8

#ifndef CLAIM
#define CLAIM ALL
#endif

/* pan names the variable that an assertion is about. */
bool one_holder = true, in_turn = true, fences_rise = true, closed_in_time = true;
bool writes_rise = true, holder_writes = true, entry_known = true, nothing_left = true;

inline claim(number, name, holds) {
	name = (CLAIM != ALL && CLAIM != number) || (holds);
	assert(name)
}

/* An entry on a lease that its daemon takes to be good is one that the daemon
 * knows of, so that it will be deleted (I7). */
inline claim_known(c) {
	claim(ENTRY_KNOWN, entry_known, entry[c] == 0 || lease[HOST(c)] != ready || place[c] != free)
}

/* At a grant: no entry is before this one in etcd, but for those that this
 * host's sessions have given up (P1); the entry itself is there; the fence is
 * above all granted before (P2); and nobody else holds. */
inline claim_grant(c) {
	claim(FENCES_RISE, fences_rise, fence[c] > granted);
	granted = fence[c];
	in_turn = entry[c] == fence[c];
	for (i : 0 .. CLIENTS - 1) {
		if
		:: entry[i] != 0 && entry[i] < fence[c] && (HOST(i) != HOST(c) || place[i] != given) -> in_turn = false
		:: else
		fi;
		if
		:: session[i] == holding -> holders++
		:: else
		fi
	}
	i = 0;
	claim(IN_TURN, in_turn, in_turn);
	claim(ONE_HOLDER, one_holder, holders <= 1);
	holders = 0
}

/* What the model must be able to come to, or its claims would say nothing: with
 * -DREACH=name the search ends where it does. */
#define HAND_OVER        1 /* before the deletion is committed */
#define OLD_WRITE        2 /* refused by the resource */
#define LATE_PUT         3 /* of a Txn that was waited for no more */
#define LATE_DROP        4
#define FENCED_OFF       5 /* a Txn is refused by its epoch */
#define FOUND            6 /* by a read after a silence */
#define NOT_FOUND        7
#define ENDED_UNDER_IT  8 /* a lease ends while its daemon is stopped */
#define AGED_ANSWER      9 /* of a renewal sent a tick ago */
#define GONE_BEFORE     10 /* a deletion finds nothing, since an earlier one was late */

#ifndef REACH
#define REACH 0
#endif

bool not_reached = true;

inline reach(number) {
	not_reached = REACH != number;
	assert(not_reached)
}
