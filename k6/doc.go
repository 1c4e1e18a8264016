// Package k6 holds the load scripts; the Go files test them.
//
// internal/lab/load runs the scripts and starts and stops their windows; they also run by hand.
package k6
