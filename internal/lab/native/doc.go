// Package native starts the servers of a topology as native processes, waits until every server
// answers, and stops them by pid.
//
// Up leaves either every server healthy or none running: it stops all of them when one can't be
// started or dies before it is ready, or when the context ends. Site.Down removes what Up made
// (processes, cgroups, derived configurations). `h2lab up` saves a state file before it starts the
// first server, and `h2lab down` loads it; servers without a state file are recognised by their
// command line and working directory.
//
// Adopt is the alternative under Compose: the servers already run in the same PID and network
// namespaces, and Adopt only finds and checks them.
//
// The files: tools and versions find the programs; ports and certs check for problems before a
// server starts; derive makes the configurations for another LIMIT; cgroup sets the CPU limit;
// spawn and process start and stop a server; ready waits; records saves the servers'
// configurations; state and lock keep two runs apart; recognise finds servers without a state file.
package native
