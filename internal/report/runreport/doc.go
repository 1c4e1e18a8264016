// Package runreport turns a result and its verdicts into a page: report.md, the
// charts beside it, and the short version for a terminal. It is the last step
// of the path and is pure: it reads what it is given, touches neither network
// nor clock nor file, and gives the same bytes for the same input.
//
// Every section is a file of its own, in the order report.go calls them.
// Longer prose stands in text/*.md.
package runreport
