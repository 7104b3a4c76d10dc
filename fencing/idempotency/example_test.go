package idempotency_test

import (
	"context"
	"fmt"

	"lockside/fencing"
	"lockside/fencing/idempotency"
)

// A consumer of messages that may come twice, out of order and late.
func Example() {
	receiver := &idempotency.Receiver{Store: idempotency.Memory()} // Files, or a store of your own
	consume := func(key idempotency.Key) {
		err := receiver.Do(context.Background(), key, func(context.Context) error {
			fmt.Println("a mail is sent")
			return nil
		})
		fmt.Printf("%s: %v, acknowledged: %v\n", key, err, idempotency.Settled(err))
	}
	first, second := fencing.Token{Fence: 8122}, fencing.Token{Fence: 8123}

	consume(idempotency.New("nightly", first, 1))
	consume(idempotency.New("nightly", first, 1))  // delivered twice
	consume(idempotency.New("nightly", second, 0)) // the next holder's claim
	consume(idempotency.New("nightly", first, 2))  // late
	// Output:
	// a mail is sent
	// nightly:8122:1: <nil>, acknowledged: true
	// nightly:8122:1: the step has been done: 1 with 8122, acknowledged: true
	// nightly:8123:0: <nil>, acknowledged: true
	// nightly:8122:2: the fencing token 8122 is stale: 8123 has been seen, acknowledged: true
}
