// Package conduct runs the measurements in their order: it probes every limit, then, round by round
// and in an order drawn from the seed, it reads the counters, runs the load, reads the counters
// again, and saves. Its product is a facts.Result without judgements, which the packages below
// internal/judge read.
//
// One trial is
//
//	forget ids ▸ cold counters ▸ client warms up ▸ settle ▸ counters before
//	▸ window ▸ counters after (settled) ▸ save
//
// With a service between its users and the topology the client is its users, and the window begins and
// ends with the service's own view and the backend's times (service.go).
//
// The client sends nothing while counters are read (package load), so the differences belong to the
// window alone.
package conduct
