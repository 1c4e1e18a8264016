// Package conduct keeps the order of things: verify every limit on the wire,
// then, round by round and in an order drawn from the seed, observe, load,
// observe, and save. It holds no opinion on what comes out: its product is a
// lab.Result, which the judging wing reads.
//
// One trial is
//
//	forget ids ▸ cold counters ▸ client warms up ▸ settle ▸ counters before
//	▸ window ▸ counters after (settled) ▸ save
//
// The client stands still while counters are read (load's gate), so the
// differences belong to the window and to nothing else.
package conduct
