// Package trace draws the frames of a connection that was used up: as text
// for a person (text.go), as JSON (json.go), as HAR (har.go).
//
// It stands in the judging wing: it knows the frames as internal/facts has them,
// whoever saw them and whenever, and touches no network. So a trace that was
// recorded years ago is drawn like one of now. What a server wrote into a frame
// is shown and never trusted: it is cut, and can't move a terminal's cursor.
package trace
