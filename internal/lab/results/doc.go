// Package results is the one door between the wings: results.json in and out,
// whole or not at all, and the files beside it (verdicts.json and the trials'
// timelines).
//
// The measuring wing writes after every trial, so that a crash costs one
// trial; the judging wing reads and needs nothing else. A file is written under
// another name, synced and renamed: a full disk or a pulled plug leaves the
// previous one as it was. The shapes are stated in results.schema.json and
// verdicts.schema.json, and checked when a file is read.
package results
