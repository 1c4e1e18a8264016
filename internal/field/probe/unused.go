package probe

import "time"

// free reports whether the connection was used, is still open, and has no request in flight.
func (r *run) free() bool { return r.sent > 0 && len(r.open) == 0 && !r.over() }

// outlived keeps the longest time without a request in flight that the connection outlived.
func (r *run) outlived(until time.Time) {
	if r.free() {
		r.paused = max(r.paused, until.Sub(r.lastNews))
	}
}

// unusedMS is the time without a request in flight when the end came, or nil.
func (r *run) unusedMS() *float64 {
	if r.unused == nil {
		return nil
	}
	took := ms(*r.unused)
	return &took
}
