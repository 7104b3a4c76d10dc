// Package help is what locksided --help says, which its manual says too.
package help

import "lockside/daemon/config"

const about = `locksided holds locks in etcd for the processes of this host.

A process connects to its Unix socket, writes "LOCK name", and reads back a
fencing token once the lock is its own. Closing the connection gives the lock
back. When the lock is lost, locksided closes the connection.

Usage:
  locksided [flags]           run the daemon
  locksided check [flags]     say what is wrong with the configuration, or ok
  locksided version           say which version this is

Examples:
  # An etcd within the daemon, for one host or a trial.
  locksided --embedded

  # A cluster, with certificates.
  locksided --endpoints https://etcd-1:2379,https://etcd-2:2379,https://etcd-3:2379 \
      --cacert ca.pem --cert host.pem --key host-key.pem

  # Look at a file before the daemon is restarted with it.
  locksided check --config /etc/lockside/lockside.yaml

  # Take a lock by hand, and give it back with QUIT or control-D.
  socat - UNIX-CONNECT:/run/lockside/lockside.sock
  LOCK nightly

`

const settings = `Settings:
  Each flag below is also a key of the YAML file that --config names, without
  the dashes, and a variable of the environment: --min-ttl is min-ttl, and
  LOCKSIDED_MIN_TTL. A flag beats the environment, and that beats the file.
  Durations are 250ms, 1.5s, 2m, or a number of seconds. A FILE without a slash
  is looked for in $CREDENTIALS_DIRECTORY first, where systemd puts credentials.

  --config FILE                YAML file of settings, also LOCKSIDED_CONFIG
  --help, --version            say this, or the version, and exit

`

const codes = `Signals:
  HUP         go on, without losing a lock, in the program that is now in this
              one's file, and with the configuration that there now is; if
              either is no good, go on as before
  TERM, INT   give every lock back and end; the second one ends at once

Exit codes:
  0   the daemon was told to end, and every lock was given back
  1   it could not start, or could not go on
  64  the command line is wrong
  78  the configuration is wrong
`

// Page is the help of any command: there is one page, since the flags of the
// daemon and of the check are the same. Defaults are those of the process.
func Page(p config.Process) string {
	return about + settings + config.Help(p) + codes
}
