// Package counters reads the counters of servers, with one file for each source: nginx's
// stub_status and its log of first requests, Envoy's admin interface, the backend's ledger, the
// counters of Spring Cloud Gateway.
//
// internal/lab/conduct reads every server before and after the load, when its counters have settled
// (settle.go). In between it reads the front several times a second (sampler.go), and processor
// time with them (cpu.go).
//
// Reading a counter changes it. Each source keeps one HTTP connection and subtracts its own
// connections and reads, so that the numbers of an idle server stay constant. Raw numbers keep the
// server's names and values.
//
// The package computes no differences, except of the backend's times (handled.go), and makes no
// judgements.
package counters
