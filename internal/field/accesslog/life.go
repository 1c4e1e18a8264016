package accesslog

import "slices"

// life is what the log shows of one connection's time.
type life struct {
	start, end int64  // in milliseconds since 1970: its first and its last line
	n          uint32 // requests
	gap        uint32 // its longest silence between two requests, in milliseconds
	client     uint32 // 0 means unknown, as for the next
	program    uint32 // what the client calls itself
	check      uint32 // the group of health checks that it may belong to
	host       uint8  // the server that wrote it
	whole      bool   // its first request is in the log
	open       bool   // it may have been open at the end of the log
}

// lasts is its time from the first line to the last, in milliseconds.
func (l *life) lasts() int64 { return l.end - l.start }

// interval is its mean time between two requests, in milliseconds.
func (l *life) interval() float64 { return float64(l.lasts()) / float64(max(1, l.n-1)) }

// mostLives limits the memory for lives: 1.5 MiB.
const mostLives = 1 << 15

// lives are the connections of a sample of clients: all of each client in it, since what follows the
// end of a connection is seen in its client's next one.
type lives struct {
	all     []life
	mask    uint32 // clients with one of these bits are not in the sample
	full    bool   // nothing is added any more
	missing uint64 // connections that are not in it
}

func (s *lives) add(l life) {
	if !s.full && len(s.all) == mostLives {
		s.halve()
	}
	if s.full || s.mask&l.spread() != 0 {
		s.missing++
		return
	}
	s.all = append(s.all, l)
}

// halve drops half of the clients. If one of them has nearly all connections, the sample stays what it
// is: the first part of the log.
func (s *lives) halve() {
	mask, kept := s.mask<<1|1, 0
	for i := range s.all {
		if mask&s.all[i].spread() == 0 {
			kept++
		}
	}
	if s.full = kept < mostLives/8 || kept == mostLives; s.full {
		return
	}
	s.mask = mask
	s.all = slices.DeleteFunc(s.all, func(l life) bool { return mask&l.spread() != 0 })
	s.missing += uint64(mostLives - kept)
}

// spread distributes the clients evenly over all bits but the lowest, which says that one is known.
func (l *life) spread() uint32 { return l.client >> 1 }

// record adds a connection that has left the table.
func (c *counter) record(e *entry, open bool) {
	if !c.timed || e.again {
		return
	}
	l := life{start: c.moment(e.first), end: c.moment(e.end), n: e.most, gap: e.gap, client: e.client, program: e.program,
		check: e.check, host: uint8(e.key >> hostShift),
		whole: e.least == 1, open: open && e.most != c.opts.Limit}
	if e.age > 0 {
		l.start = c.moment(e.full) - int64(e.age)
	}
	if !c.ordinal { // without numbers, one that was silent when the log began may be older
		before := l.start - c.first
		l.whole = before > c.opts.Idle.Milliseconds() || e.age > 0 ||
			l.n >= steady && before > longSilence*int64(l.gap)
	}
	c.lives.add(l)
}

// moment completes a time of which the table holds the low 32 bits.
func (c *counter) moment(low uint32) int64 { return c.last - int64(uint32(c.last)-low) }
