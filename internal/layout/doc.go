// Package layout has tests only. They enforce the project's layout: which package may import which,
// how long functions and files may be, and which files belong together.
//
// The tests parse the source files themselves: Go's test cache would return an old result for a
// test that runs `go list`, even when the sources have changed (measured).
package layout
