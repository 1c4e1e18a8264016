// Package load runs one client against a topology and reads its answer: k6
// with a script of k6/, or a program of clients/.
//
// It stands between launch, which has brought the servers up, and observe,
// which reads their counters. The two are interleaved by hooks: Warm is called
// when the client has warmed up and every answer has come, Done when the
// measured window's last answer has. Between the two the client is on its own.
//
// A client may die, print garbage, say too much or stop answering. Each of
// these ends, within a bounded time, in an error that names the client and
// quotes its last words, and the client's process group is gone when Run
// returns.
package load
