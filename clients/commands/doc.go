// Command commands drives command-line load tools as clients of the lab: curl, h2load and hey. The
// tool sends the requests; this program reads and counts what the tool reports of every transfer,
// so that latencies and failures are the tool's own.
//
// A tool differs from a library in three ways. The measured window also starts from an empty pool,
// because no tool keeps its connections between two runs. The tool decides when it is done: curl is
// given a number of transfers, computed from the pace of the warm-up. And only curl can give every
// request its own id; requests of the other tools carry none, and the backend's ledger doesn't
// count them as executed.
package main
