// Package child starts other programs and ends them. h2lab runs every program through it: servers,
// client programs, builds, capture programs, scripts and version queries.
//
// A child has a process group of its own, so that the terminal's Ctrl-C reaches only h2lab, which
// then stops its children in order. When a child ends, the package kills the rest of its group
// before it waits for the child: until then the kernel gives the pid to no other process. A
// variable in the environment identifies descendants that left the group (setsid(2), as a daemon
// does). Stop sends SIGTERM, waits and kills; Run starts a program that is expected to end within a
// time, and stops it otherwise.
//
// On Windows a job object takes the group's place, and Ctrl-Break that of SIGTERM. Other Unix systems
// have the group, but no way to kill the rest of it at the child's end (system_other.go).
package child
