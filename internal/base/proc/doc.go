// Package proc reads what the kernel tells about processes: who listens on a
// port, which children a process has, how much processor time and memory they
// used, what a process may use, and what machine this is.
//
// It stands beside the measuring wing: launch asks it whom a port belongs to
// and whether a saved pid is still the same process, the conductor asks it
// for the processor time of a trial. It only reads; it judges nothing and
// ends nothing.
//
// Everything comes from /proc. On a system without one it compiles and
// answers "not known" (ok is false, or an error).
package proc
