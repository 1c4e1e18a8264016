// Package probe asks a server questions about its HTTP/2 connections by
// speaking the frames itself, one file a question: how many requests does a
// connection get (request_limit.go), and what is seen on the wire when they
// are used up (trace_renewal.go). One engine sends the requests of all of them,
// over HTTP/2 and HTTP/1.1 (run.go); what differs is its plan: how many, how
// fast, and which go one at a time.
//
// It stands in the measuring wing, before the load: the conductor probes the
// effective limit of a cell and compares it with the cell's name. An ordinary
// client can't be used for that, since it hides what is asked for: it opens a
// new connection and sends again without a word.
//
// Survey is the entrance for somebody's own server (survey.go says which file
// asks what). It gives facts alone, as a lab.Endpoint, and is polite: one
// connection at a time, at a rate, with ceilings that no option lifts (ask.go).
//
// A connection is a source of events: a frame, the end, silence until a
// deadline, or an error. Silence is an answer too. The idea is h2spec's.
//
// Certificates are verified, everything is bounded in time and memory, and a
// context that ends closes the connection.
package probe
