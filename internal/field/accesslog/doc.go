// Package accesslog reads access logs of nginx and Envoy and finds how many requests each
// connection carried: whether connections end at a request limit, how often, and what that costs.
//
// It needs no server and no network: its input is a log, its output a Result. Every line passes
// through one type, Record:
//
//	input.go ▶ scan.go (a compiled log_format) or json.go ▶ Record ▶ count.go ▶ result.go ▶ judge.go ▶ text.go
//
// input.go has package jsonlines put an object on each line where a log has them otherwise.
//
// Memory is limited, whatever the length of the log. A table has the connections that may be open
// (table.go), one bit per connection records that it occurred (seen.go), and histograms count the
// others by where they ended (histogram.go). If a limit of memory costs exactness, the Result says
// how much.
package accesslog
