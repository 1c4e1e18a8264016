// Package live shows a run while it goes on: a journal that the measuring
// process writes, and a page on 127.0.0.1 that follows it. A recorded run is
// played back through the same events, on a machine that can't run the load.
//
// The journal is a file of JSON lines beside the runs (results/live.ndjson),
// so the page works the same natively and in Docker, may be opened at any
// moment of a run, and can't disturb it: the run never waits for a reader, and
// goes on when the journal can't be written.
//
// It holds no opinion. Counts are the server's own, as the timeline has them;
// what only a client knows (failures, goodput in its own words) is told when
// its window has closed.
package live
