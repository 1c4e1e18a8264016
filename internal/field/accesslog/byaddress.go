package accesslog

import "time"

// addByAddress processes a line without a connection's number. A port that was silent for longer than
// a connection may be is another connection's.
func (c *counter) addByAddress(host uint8, r *Record) {
	peer, _ := r.peer()
	k := key(host, 1, peer)
	e := c.table.find(k)
	if e != nil && c.dated() && c.tick() > e.last+uint32(c.opts.Idle/time.Second) {
		c.table.drop(k)
		e = nil
	}
	c.count(r, e == nil, e == nil)
	c.note(r, e == nil, 0)
	c.enter(k, false, r)
}
