// Package load runs one client against a topology and reads its answer: k6 with a script of k6/, or
// a program of clients/.
//
// Hooks connect it with the caller, which reads the servers' counters: Warm is called when the
// client has warmed up and every answer has arrived, Done when the last answer of the measured
// window has. Between the two, nothing interrupts the client.
//
// A client may die, print garbage, print too much or stop answering. Each of these ends, within a
// bounded time, in an error that names the client and quotes its last output, and no process of the
// client's group is left when Run returns.
package load
