// Package results reads and writes results.json and the files beside it (verdicts.json and the
// trials' timelines). These files are the only data that the packages below internal/lab pass to
// those below internal/judge and internal/report.
//
// The lab writes after every trial, so that a crash loses at most one trial. A file is written
// under another name, synced and renamed: a full disk or a power failure leaves the previous file
// unchanged. results.schema.json and verdicts.schema.json define the format, and every read checks
// a file against them.
package results
