// Command commands drives command-line load tools as clients of the lab: curl,
// h2load and hey. A tool does its own work; what it reports of every transfer is
// read and counted here, so that latencies and failures are the tool's own.
//
// A tool differs from a library in three ways. It starts from an empty pool in the
// window too, since no tool keeps its connections between two runs. It says when
// it is done: curl is given a number of transfers, from the pace of the warm-up.
// And only curl can give every request an id of its own; the requests of the
// others carry none, and the backend's ledger doesn't count them as executed.
package main
