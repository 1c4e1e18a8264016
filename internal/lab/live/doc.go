// Package live shows a run while it lasts: the measuring process writes a journal, and a page on
// 127.0.0.1 follows it. The package replays a recorded run through the same events, on a machine
// that can't run the load.
//
// The journal is a file of JSON lines beside the runs (results/live.ndjson), so the page works
// natively and in Docker and may be opened at any time. It can't disturb the run, which never waits
// for a reader and continues when the journal can't be written.
//
// While servers run without a measurement (make up), Watch writes their counters to the same journal, so
// that a learner sees the load of any program on them.
//
// The package makes no judgements. Counts are the server's own, as in the timeline; what only the
// client counts (failures, goodput) appears when its window has closed.
package live
