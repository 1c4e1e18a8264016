// Package accesslog reads access logs of nginx and Envoy and finds how many
// requests each connection carried: whether connections end at a request limit,
// how often, and what that costs.
//
// It stands by itself, beside the lab: a log goes in, a Result comes out, and
// neither a server nor a network is needed. Lines go through one door, Record:
//
//	input.go ▶ scan.go (a compiled log_format) or json.go ▶ Record ▶ count.go ▶ result.go ▶ judge.go ▶ text.go
//
// Whatever the log's length, memory is bounded: connections that are alive stand
// in a table (table.go), which ones were seen before is one bit each (seen.go),
// and all that is kept of the others is how many ended where (histogram.go).
// Where a bound costs exactness, the Result says how much.
package accesslog
