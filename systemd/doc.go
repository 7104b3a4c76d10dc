// Package systemd is how the daemon speaks to the service manager that started it: the
// socket that it was given, the states that it tells, the watchdog that it feeds, and
// the journal that it logs to. Without systemd all of it does nothing.
//
// The units beside it are what a package installs. Each directive that hardens and that
// is left out has its reason there.
package systemd
