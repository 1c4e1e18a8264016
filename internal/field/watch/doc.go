// Package watch reads the counters of a user's own server repeatedly and reports wasted
// connections: more accepted connections than their requests need.
//
// source.go fetches a page over its own connection, detect.go recognises the page by its content
// (nginx's stub_status, Envoy's admin interface, or a Prometheus endpoint of either), alarm.go
// judges the differences without network or clock, and run.go is the loop.
//
// internal/base/counters reads the same counters of the lab's own servers, whose names, paths and
// stat_prefix are fixed; here they are the user's.
package watch
