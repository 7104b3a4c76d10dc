package servers

import (
	"context"
	"errors"
	"strings"
)

// errNoLeader is for a cluster in which nobody says that it leads.
var errNoLeader = errors.New("no server says that it leads")

// Leader is the number of the member that leads, as it says itself.
func (e *Etcd) Leader(ctx context.Context) (int, error) {
	for i, endpoint := range e.Endpoints {
		text, err := get(ctx, endpoint+"/metrics")
		if err == nil && metric(text, "etcd_server_is_leader") == 1 {
			return i, nil
		}
	}
	return 0, errNoLeader
}

// Leader is the number of the server that leads, as it says itself. One alone
// does.
func (z *ZooKeeper) Leader(ctx context.Context) (int, error) {
	for i, address := range z.Addresses {
		text, err := askAll(ctx, address, "srvr")
		if err == nil && (strings.Contains(text, "\nMode: leader") || strings.Contains(text, "\nMode: standalone")) {
			return i, nil
		}
	}
	return 0, errNoLeader
}
