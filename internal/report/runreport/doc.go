// Package runreport turns a result and its verdicts into report.md, the charts beside it, and the
// short version for a terminal. It uses no network, clock or file, and writes the same bytes for
// the same input.
//
// Every section is a file of its own, called by report.go in the order of the report. Longer prose
// is in text/*.md.
package runreport
