package accesslog

// limit finds where connections end. A limit is a wall: many connections stop at
// exactly that number and nearly none just below it, since a client that leaves
// for its own reasons does so anywhere.
func (r *reading) limit(all *histogram) *Limit {
	if !r.count.ordinal {
		return nil // Envoy's limit is approximate: no wall
	}
	l := &Limit{How: "given", Requests: r.opts.Limit}
	if l.Requests == 0 {
		l.How = "found"
		if l.Requests = wall(all); l.Requests == 0 {
			return nil
		}
	}
	l.EndedExactly = all.count(l.Requests)
	if r.count.time.wall == l.Requests && r.count.twice == 0 {
		l.EndedExactly = r.count.atWall // exact, whatever the table forgot
	}
	all.each(func(v uint32, n uint64) {
		if v > l.Requests {
			l.Beyond += n
		}
	})
	l.ShareOfRequests = float64(l.EndedExactly) * float64(l.Requests) / float64(max(all.sum, 1))
	c := r.count
	if minutes := float64(c.last-c.first) / 60e3; c.timed && minutes > 0 {
		rate := float64(l.EndedExactly) / minutes
		l.RenewalsPerMinute = &rate
	}
	l.UsedUpResolutionS = 1
	if c.fine || c.has[fAge] {
		l.UsedUpResolutionS = 0.001
	}
	if c.time.wall == l.Requests {
		l.UsedUpP50S, l.UsedUpP10S = seconds(c.usedUp, .5, l.UsedUpResolutionS), seconds(c.usedUp, .1, l.UsedUpResolutionS)
	}
	return l
}

func seconds(s spans, q, least float64) *float64 {
	ms, ok := s.quantile(q)
	if !ok {
		return nil
	}
	ms = max(least, ms/1000)
	return &ms
}

const (
	leastAtWall  = 3   // two connections that end alike may be chance
	leastAtLarge = 2   // not where the number is large
	large        = 100 // from here on
	stepUp       = 3   // as many times what ends at any number beside it
)

// wall is the number at which connections end: the largest at all if enough end
// there, else the one where most do. 0 is none. A single request is no wall:
// every client that asks once ends there.
func wall(h *histogram) uint32 {
	if isWall(h, h.max) {
		return h.max
	}
	var mode uint32
	var most uint64
	h.each(func(v uint32, n uint64) {
		if v > 1 && n > most {
			mode, most = v, n
		}
	})
	if isWall(h, mode) {
		return mode
	}
	return 0
}

// isWall compares with the most that ends at any one number beside it, a fifth of
// it to either side.
func isWall(h *histogram, v uint32) bool {
	n := h.count(v)
	if v < 2 || n < leastAtLarge || v < large && n < leastAtWall {
		return false
	}
	width := max(1, v/5)
	var beside uint64
	h.each(func(o uint32, c uint64) {
		if o != v && o >= v-min(v, width) && o <= v+width {
			beside = max(beside, c)
		}
	})
	return n >= stepUp*beside
}
