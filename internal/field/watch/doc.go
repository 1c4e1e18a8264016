// Package watch reads the counters of somebody's own server again and again and
// says when connections are burnt: accepted in numbers that the requests on them
// don't need.
//
// It stands beside the lab. source.go fetches a page over one connection of its
// own, detect.go finds out by the content what it is (nginx's stub_status, Envoy's
// admin, or a Prometheus endpoint of one of them), alarm.go judges the differences
// and knows neither network nor clock, run.go is the loop.
//
// internal/base/counters reads the same counters of the lab's own servers, with names,
// paths and a stat_prefix that it knows; here they are the user's.
package watch
