// Package probe measures how a server treats its HTTP/2 connections by reading and writing the
// frames itself, one question per file: how many requests a connection gets (request_limit.go), and
// which frames end it at the limit (trace_renewal.go). One engine sends the requests for all of
// them, over HTTP/2 and HTTP/1.1 (run.go). They differ in the plan: how many requests, at which
// rate, and which of them go one at a time.
//
// The lab probes the effective limit of each cell before the load and compares it with the limit in
// the cell's name. An ordinary client can't measure it, because it opens a new connection and sends
// the request again without reporting that.
//
// Survey is for a user's own server (survey.go lists the file of each question). It returns facts
// only, as a facts.Endpoint, and limits its load: one connection at a time, at a limited rate, with
// ceilings that no option lifts (ask.go).
//
// A connection reports events: a frame, the end, silence until a deadline, or an error. Silence is
// a result too; the idea is h2spec's.
//
// The package verifies certificates and limits time and memory. When its context ends, it closes
// the connection.
package probe
