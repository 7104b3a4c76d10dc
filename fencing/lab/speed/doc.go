// Package speed measures every load on every system in one run.
//
// A system gets new servers on empty directories for each round, all loads on
// these, and then the next system has its turn, so that at any time only the
// servers that are measured run. Several rounds even out what the machine does
// meanwhile, and show it.
//
// What takes long, and is told by how it ends and not by an average, comes last
// and once: a name that is used very often, many sessions that only hold, and
// many that wait. Each system has new servers for that too.
package speed
