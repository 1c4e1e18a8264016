package accesslog

// limit finds the number of requests at which connections end. At a limit, many connections end at exactly
// that number and hardly any just below it, since a client that closes for its own reasons does so at any
// number. Without numbered requests the limit may be approximate.
func (r *reading) limit(all *histogram, d *lifespans) *Limit {
	c := r.count
	l := &Limit{How: "given", Requests: r.opts.Limit}
	if l.Requests == 0 {
		l.How, l.Requests = "found", commonEnd(all, !c.ordinal)
		if n := all.count(l.Requests); !usualLimit(l.Requests) && float64(n) < aSizable*float64(all.n-all.count(1)) {
			l.Requests = 0 // a few may have the same number by chance
		}
	}
	if l.Requests == 0 && !c.ordinal && d != nil {
		l.Requests = pile(d.ended(2))
	}
	if l.Requests == 0 {
		return nil
	}
	if l.count(all, c); l.batches(all, !c.ordinal) {
		return nil
	}
	l.ShareOfRequests = float64(l.EndedExactly) * float64(l.Requests) / float64(max(all.sum, 1))
	if minutes := float64(c.last-c.first) / 60e3; c.timed && minutes > 0 {
		rate := float64(l.EndedExactly) / minutes
		l.RenewalsPerMinute = &rate
	}
	l.UsedUpResolutionS = 1
	if c.fine || c.has[fAge] {
		l.UsedUpResolutionS = 0.001
	}
	used := c.usedUp
	switch {
	case c.mixed(): // from one connection's first request to another one's last
		used = newSpans()
	case c.time.limit != l.Requests:
		used = d.usedUp(l)
	}
	l.UsedUpP50S, l.UsedUpP10S = seconds(used, .5, l.UsedUpResolutionS), seconds(used, .1, l.UsedUpResolutionS)
	l.EndedBy = l.endedBy(d, c.opened(), l.oddPiles(all))
	return l
}

// oddPiles counts the other numbers at which nearly as many connections end, and that nobody configures.
func (l *Limit) oddPiles(all *histogram) (n int) {
	all.each(func(v uint32, ended uint64) {
		if v > 1 && v < l.Requests && 3*ended >= l.EndedExactly && !usualLimit(v) && all.endsAt(v) {
			n++
		}
	})
	return n
}

// count counts the connections that ended at the limit, and those that got more.
func (l *Limit) count(all *histogram, c *counter) {
	l.UpTo = l.Requests
	if !c.ordinal && l.How == "found" {
		l.UpTo += max(uint32(narrow*float64(l.Requests)), min(allow, l.Requests/5))
	}
	all.each(func(v uint32, n uint64) {
		switch {
		case v > l.UpTo:
			l.Beyond += n
		case v >= l.Requests:
			l.EndedExactly += n
		}
	})
	if c.ordinal && c.time.limit == l.Requests && c.twice == 0 {
		l.EndedExactly = c.atLimit // exact even if the table forgot connections
	}
}

// batches reports whether most of the connections with more requests carried a multiple of the number: their clients
// pause after as many each time, so the number ends no connection. A few of them may be ports that were used again.
func (l *Limit) batches(all *histogram, ports bool) bool {
	var multiples uint64
	all.each(func(v uint32, n uint64) {
		if v > l.UpTo && v%l.Requests == 0 {
			multiples += n
		}
	})
	if ports && float64(multiples) < fewBeyond*float64(l.EndedExactly) {
		return false
	}
	return l.How == "found" && multiples >= leastFollowed && 2*multiples >= l.Beyond
}

// at reports whether a connection ended at the limit.
func (l *Limit) at(v *life) bool { return v.n >= l.Requests && v.n <= l.UpTo }

// usedUp is how long connections took to reach the limit.
func (d *lifespans) usedUp(l *Limit) spans {
	s := newSpans()
	if d == nil {
		return s
	}
	for i := range d.all {
		if v := &d.all[i]; v.whole && l.at(v) {
			s.add(v.lasts())
		}
	}
	return s
}

// The causes of a common number of requests.
const (
	byServer  = "server"
	byClients = "clients"
	byUnknown = "unknown"
)

const (
	// fewBeyond is the share of connections with more requests that contradicts a limit: another server
	// block may have another one.
	fewBeyond = 0.05
	// severalPrograms that all end at the same number have hardly chosen it themselves.
	severalPrograms = 3
	// severalPiles are more than one server block with a limit of its own.
	severalPiles = 2
	// clearly is wasted connections per renewal that show a stampede beyond doubt: its client had requests
	// that waited, so it did not end the connection.
	clearly = 5.0
)

// endedBy says who ends the connections: a client that has sent what it wanted ends them all at the same
// number too.
func (l *Limit) endedBy(d *lifespans, opened *Opened, oddPiles int) string {
	stampede := opened != nil && !opened.Steady && float64(opened.EmptyAtLeast) >= wastedEach*float64(l.EndedExactly)
	then, followed := unclear, 0.0
	if d != nil {
		for i := range d.all {
			d.all[i].open = d.all[i].open && !l.at(&d.all[i])
		}
		then, followed = d.followed(l.at)
	}
	switch {
	case l.How == "given":
		return byServer
	case then == stops:
		return byClients
	case oddPiles >= severalPiles && !stampede: // so their clients choose numbers, perhaps this one too
		return byUnknown
	case float64(l.Beyond) >= max(2, fewBeyond*float64(l.EndedExactly)):
		if usualLimit(l.Requests) && then == goesOn {
			return byServer
		}
		return byUnknown
	case usualLimit(l.Requests) && (stampede || then == goesOn), l.Requests == 1000,
		l.Requests == 100 && (d == nil || d.identified() && followed >= always), // nginx's default until 1.19.10 (changes.xml)
		then == goesOn && d.programs(l.at) >= severalPrograms,
		stampede && float64(opened.EmptyAtLeast) >= clearly*float64(l.EndedExactly):
		return byServer
	}
	return byUnknown
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
	leastAtLimit = 3   // two connections with the same end may be chance
	leastAtLarge = 2   // except where the number is large
	large        = 100 // from this number on
	stepUp       = 3   // ratio to the most frequent neighbour
)

// commonEnd is the number at which connections end: the largest of all if enough end there, otherwise
// the one where most do; 0 means none. A single request is no limit: every client that sends one
// request ends there. Where connections are told apart by their ports, one that is used again soon carries the requests
// of two connections, so a few at the largest are not enough.
func commonEnd(h *histogram, ports bool) uint32 {
	if h.endsAt(h.max) && !ports {
		return h.max
	}
	var mode uint32
	var most uint64
	h.each(func(v uint32, n uint64) {
		if v > 1 && n > most {
			mode, most = v, n
		}
	})
	if h.endsAt(h.max) && (float64(h.count(h.max)) >= fewBeyond*float64(most) || !h.endsAt(mode)) {
		return h.max
	}
	if h.endsAt(mode) {
		return mode
	}
	return 0
}

// endsAt compares a number with the most frequent of its neighbours, a fifth of it to either side.
func (h *histogram) endsAt(v uint32) bool {
	n := h.count(v)
	if v < 2 || n < leastAtLarge || v < large && n < leastAtLimit {
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
