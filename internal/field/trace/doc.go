// Package trace formats the frames of a connection that reached its limit: as text (text.go), as
// JSON (json.go), as HAR (har.go).
//
// Its input is a trace of internal/facts, new or recorded; it uses no network. It treats a server's
// data in frames as untrusted: it is cut to a length and stripped of control characters.
package trace
