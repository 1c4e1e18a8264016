// Package child starts other programs and ends them again. Everything in
// h2lab that runs a program does it here: servers, client programs, builds,
// capture programs, scripts and the look-ups of versions.
//
// A child has a process group of its own, so that the terminal's Ctrl-C
// reaches h2lab alone, which then stops its children in order. When a child
// ends, what is left of its group is killed before the child is waited for:
// until then the kernel gives its number to no other process. A descendant
// that left the group (setsid(2), as a daemon does) is found by a variable in
// its environment. Stop asks, waits and kills; Run does all of it for a
// program that is expected to end by itself within a time.
package child
