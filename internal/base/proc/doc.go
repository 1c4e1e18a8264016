// Package proc reads process data from the kernel: the owner of a port, the children of a process,
// the processor time and memory they used, their limits, and the machine.
//
// The lab uses it to find the owner of a port, to check that a saved pid is still the same process,
// and to read the processor time of a trial. The package only reads; it makes no judgements and
// ends no process.
//
// All data comes from /proc. On systems without /proc the package compiles and returns "not known"
// (ok is false, or an error).
package proc
