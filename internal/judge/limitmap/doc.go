// Package limitmap judges SWEEP=matters: at each place (a load, a backend's delay and a
// distance) it compares the cells behind lower limits on requests per connection with the cell of the
// same place behind the highest one, and says from which places on a limit stops mattering. It reads
// only what results.json holds, uses no network, file or clock, and returns the same verdicts for the
// same run.
//
// A place has few trials, too few for an interval of its own. So the scatter of repeated trials is
// pooled over the cells that share the backend's delay and the distance (noise.go). A limit that no
// window of a place can reach is extrapolated from a lower limit of that place (extrapolate.go).
package limitmap
