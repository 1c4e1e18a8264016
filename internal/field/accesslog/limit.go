package accesslog

// limit finds where connections end. At a limit, many connections end at exactly that number and
// hardly any just below it, since a client that closes for its own reasons does so at any number.
func (r *reading) limit(all *histogram) *Limit {
	if !r.count.ordinal {
		return nil // Envoy's limit is approximate: no exact number
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
		l.EndedExactly = r.count.atWall // exact even if the table forgot connections
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
		l.UsedUpP50S, l.UsedUpP10S = seconds(c.usedUp, .5, l.UsedUpResolutionS),
			seconds(c.usedUp, .1, l.UsedUpResolutionS)
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
	leastAtWall  = 3   // two connections with the same end may be chance
	leastAtLarge = 2   // except where the number is large
	large        = 100 // from this number on
	stepUp       = 3   // ratio to the most frequent neighbour
)

// wall is the number at which connections end: the largest of all if enough end there, otherwise
// the one where most do; 0 means none. A single request is no limit: every client that sends one
// request ends there.
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

// isWall compares a number with the most frequent of its neighbours, a fifth of it to either side.
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
