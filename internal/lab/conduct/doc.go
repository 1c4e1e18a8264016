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
// The client sends nothing while counters are read (package load), so the differences belong to the
// window alone.
package conduct
