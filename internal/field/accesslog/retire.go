package accesslog

import "time"

// comeBack reverses the retirement of a connection that left the table too early. Its last ordinal
// was the one before this, unless streams ended out of order.
func (c *counter) comeBack(r *Record) {
	c.seenAgain++
	if h := c.closed[r.Protocol]; !c.ordinal || h == nil || !h.remove(r.Ordinal-1) {
		c.standTwice++
	}
}

// retire counts a connection that has ended, or what is known of one that may be open.
func (c *counter) retire(e *entry, into *[protocols]*histogram) {
	if into[e.proto] == nil {
		into[e.proto] = newHistogram()
	}
	into[e.proto].add(e.most)
	c.record(e, into == &c.open)
	c.checks.ended(e)
	if !c.ordinal {
		return
	}
	if e.lines > e.most-e.least+1 {
		c.twice++
	} else if e.least == 1 {
		c.missing += uint64(e.most - e.lines)
	}
	if e.most != c.time.limit {
		return
	}
	switch {
	case c.has[fAge]:
		c.usedUp.add(int64(e.age))
	case c.timed && e.least == 1 && !e.again:
		c.usedUp.add(int64(e.full - e.first))
	}
}

// finish retires the remaining connections: those that were silent for long enough have ended, the
// others may be open.
func (c *counter) finish() {
	open := uint32(max(0, c.last/1000-int64(c.opts.Idle/time.Second)))
	c.table.each(func(e *entry) {
		if c.timed && e.last < open {
			c.retire(e, &c.closed)
			return
		}
		c.retire(e, &c.open)
	})
	c.checks.settle()
	for i := range c.servers {
		c.servers[i].sumUp()
	}
	c.time.finish()
}
