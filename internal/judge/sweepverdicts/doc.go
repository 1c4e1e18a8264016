// Package sweepverdicts judges sweeps: it finds each cell's place in its sweep, compares the
// callers with published figures as ratios, and says what a limit on requests per connection does
// to each caller. It reads only what results.json holds, uses no network, file or clock, and
// returns the same verdicts for the same run.
//
// Cells that differ only in the limit are compared pair by pair: the same place in the sweep, the
// same trial. A pair shares the state of the machine, and the ratios of all pairs of a caller are
// one sample, so that a caller is judged even where each cell has one trial. Medians and intervals
// are those of package statistics; a difference counts if the interval of the median ratio excludes
// 1.
package sweepverdicts
