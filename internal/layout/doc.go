// Package layout holds the project's layout: its tests are the policy of which
// room may import which, how large a room may grow, and which files belong
// together. It has no code of its own.
//
// The tests read the sources themselves: a test that asks a `go list` child is
// answered from the test cache when the sources have changed (measured).
package layout
