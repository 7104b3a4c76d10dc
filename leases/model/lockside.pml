/*
 * Clients, daemons of two hosts, etcd and a fenced resource: the rules of package
 * leases for one name. doc.go tells what is modelled and how to run it.
 */
#include "state.pml"
#include "claims.pml"
#include "client.pml"
#include "daemon.pml"
#include "lease.pml"
#include "etcd.pml"
#include "time.pml"

active proctype clients() {
end:
	do
	:: lock(0)             :: lock(1)             :: lock(2)
	:: give_up(0)          :: give_up(1)          :: give_up(2)
	:: read_end_of_file(0) :: read_end_of_file(1) :: read_end_of_file(2)
	:: write(0)            :: write(1)            :: write(2)
	od
}

active proctype sessions() {
end:
	do
	:: send_put(0)      :: send_put(1)      :: send_put(2)
	:: put_answered(0)  :: put_answered(1)  :: put_answered(2)
	:: grant(0)         :: grant(1)         :: grant(2)
	:: read_closing(0)  :: read_closing(1)  :: read_closing(2)
	:: send_drop(0)     :: send_drop(1)     :: send_drop(2)
	:: drop_answered(0) :: drop_answered(1) :: drop_answered(2)
	:: txn_refused(0)   :: txn_refused(1)   :: txn_refused(2)
	:: no_answer(0)     :: no_answer(1)     :: no_answer(2)
	:: decide(0)        :: decide(1)        :: decide(2)
	od
}

active proctype leases() {
end:
	do
	:: grant_lease(0)   :: grant_lease(1)
	:: die(0)           :: die(1)
	:: crash(0)         :: crash(1)
	:: revoke(0)        :: revoke(1)
	:: send_renewal(0)  :: send_renewal(1)
	:: renewed(0)       :: renewed(1)
	:: replace_epoch(0) :: replace_epoch(1)
	od
}

active proctype etcd() {
end:
	do
	:: apply_put(0)  :: apply_put(1)  :: apply_put(2)
	:: apply_drop(0) :: apply_drop(1) :: apply_drop(2)
	:: apply_late(0) :: apply_late(1) :: apply_late(2)
	:: renew(0)      :: renew(1)
	:: expire(0)     :: expire(1)
	od
}

active proctype time() {
end:
	do
	:: tick(false, false)
	:: tick(true, false)
	:: tick(false, true)
	:: tick(true, true)
	od
}

/* At any moment all may become calm: nothing new is asked for, nothing fails, and
 * clients that hold give up. When nothing more is to be done, nothing is left (P5),
 * and whoever waited was served. */
active proctype weather() {
end:
	d_step {
		CALM ->
		calm = true;
		printf("all is calm\n")
	}
	timeout ->
	d_step {
		claim(NOTHING_LEFT, nothing_left, PRESENT == 0 && OVER(0) && OVER(1) && OVER(2))
	}
}
