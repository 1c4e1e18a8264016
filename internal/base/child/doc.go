// Package child starts other programs and ends them. h2lab runs every program through it: servers,
// client programs, builds, capture programs, scripts and version queries.
//
// A child has a process group of its own, so that the terminal's Ctrl-C reaches only h2lab, which
// then stops its children in order. When a child ends, the package kills the rest of its group
// before it waits for the child: until then the kernel gives the pid to no other process. A
// variable in the environment identifies descendants that left the group (setsid(2), as a daemon
// does). Stop sends SIGTERM, waits and kills; Run starts a program that is expected to end within a
// time, and stops it otherwise.
package child
