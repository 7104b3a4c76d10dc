package child

import (
	"os"
	"os/signal"
)

// Catch has signals sent to c, but for those that our parent had us ignore, as
// nohup(1) does with SIGHUP: the command is to ignore them too.
func Catch(c chan<- os.Signal, signals ...os.Signal) {
	for _, sig := range signals {
		if !signal.Ignored(sig) {
			signal.Notify(c, sig)
		}
	}
}
