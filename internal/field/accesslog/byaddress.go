package accesslog

import "time"

// addByAddress processes a line without a connection's number. A port that was silent for longer than
// a connection may be is another connection's, and so is one whose requests begin again at 1.
func (c *counter) addByAddress(host uint8, r *Record) {
	peer, _ := r.peer()
	k := key(host, 1, peer)
	e := c.table.find(k)
	silent := e != nil && len(r.ID) == 0 && c.dated() && c.tick() > e.last+uint32(c.opts.Idle/time.Second)
	if silent || e != nil && c.ordinal && r.Ordinal == 1 && e.least == 1 {
		c.table.drop(k)
		e = nil
	}
	starts := e == nil
	if c.ordinal {
		starts = r.Ordinal == 1
	}
	c.count(r, e == nil, starts)
	c.note(r, starts, 0)
	c.enter(k, false, r)
}
