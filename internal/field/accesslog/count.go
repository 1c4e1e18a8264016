package accesslog

import "time"

// Options configure the reading of a log.
type Options struct {
	// Limit is the known number of requests per connection; 0 means that Read finds it.
	Limit uint32
	// Idle is how long a connection may be silent and still be open: keepalive_timeout.
	Idle time.Duration
	// NoUpstreams says that the server opens no connections, so every serial is a client's.
	NoUpstreams bool
	// Since and Until limit the lines that count; zero means no limit.
	Since, Until time.Time
	// Format is the compiled format; nil means that Read recognises it. Keys are the names of JSON
	// keys for connection, connection_requests and the others.
	Format *Format
	Keys   map[string]string

	tableBits, chunks int // for tests; 0 means the default
}

// usualIdle is nginx's default keepalive_timeout.
const usualIdle = 75 * time.Second

// forgetAfter times Idle after its last line, a connection leaves the table: a request may run for
// long, and is logged at its end.
const forgetAfter = 4

// counter processes records and holds the counts behind the Result.
type counter struct {
	opts    Options
	ordinal bool // whether the format has one
	has     [fields]bool
	names   map[string]uint8
	servers []server
	table   *table
	seen    *seen
	time    timeline

	requests, connections [protocols]uint64
	closed, open          [protocols]*histogram
	began, restarts       uint64
	statuses              [3]uint64 // 499, 5xx, neither
	upstreams             uint64
	seenAgain, standTwice uint64
	twice                 uint64 // connections with more lines than requests
	atWall                uint64 // lines with the highest ordinal: connections that reached it
	missing               uint64 // ordinals without a line, of connections seen from their first request
	usedUp                spans  // how long connections took to reach the limit
	flags                 map[string]uint64
	first, last           int64 // in milliseconds
	timed                 bool
	fine                  bool // times have fractions of a second
	lines                 uint64
}

func newCounter(o Options, c chosen) *counter {
	if o.Idle <= 0 {
		o.Idle = usualIdle
	}
	if o.tableBits == 0 {
		o.tableBits = tableBits
	}
	if o.chunks == 0 {
		o.chunks = seenChunks
	}
	n := &counter{opts: o, ordinal: !c.envoy, has: c.has, names: map[string]uint8{}, flags: map[string]uint64{},
		seen: newSeen(o.chunks), usedUp: newSpans()}
	n.table = newTable(o.tableBits, uint32(o.Idle/time.Second)*forgetAfter, func(e *entry) { n.retire(e, n.closed[:]) })
	n.time.wall = o.Limit
	if !n.dated() {
		n.table.idle = 1 << 31 // the end of a connection is unknown; only the table's size limits it
	}
	return n
}

// dated reports whether lines have a time.
func (c *counter) dated() bool { return c.has[fTimeLocal] || c.has[fTimeISO] || c.has[fTimeUnix] }

// tick is the table's clock: seconds, or thousands of lines if lines have no time.
func (c *counter) tick() uint32 {
	if c.dated() {
		return uint32(c.last / 1000)
	}
	return uint32(c.lines >> 10)
}

// add processes a line.
func (c *counter) add(r *Record) error {
	host, err := c.serverOf(r.Host)
	if err != nil {
		return err
	}
	s := &c.servers[host]
	first := r.Ordinal == 1
	k := key(host, s.epoch, r.Connection)
	before, firstBefore := c.seen.mark(k, first)
	if !c.ordinal {
		first = !before
	}
	if first && s.began(r.Connection, firstBefore) {
		c.startOver(host, r.Protocol, firstBefore)
		k = key(host, s.epoch, r.Connection)
		before, firstBefore = c.seen.mark(k, first)
	}
	c.lines++
	c.requests[r.Protocol]++
	if !before {
		c.connections[r.Protocol]++
	}
	starts := first && !firstBefore
	if starts {
		c.began++
	}
	c.note(r, starts, s.take(r.Connection, first, !before))
	c.enter(k, before, r)
	return nil
}

// startOver begins another epoch of the server's serials. The doubtful connections belong to it;
// those whose serial occurred before are not yet counted. The last one's line is still to be
// processed.
func (c *counter) startOver(host uint8, p Protocol, lastTwice bool) {
	s := &c.servers[host]
	c.restarts++
	missed := uint64(s.twice)
	if lastTwice {
		missed--
	}
	c.connections[p] += missed
	c.began += missed
	doubted := append([]uint64(nil), s.doubted[:len(s.doubted)-1]...)
	s.restart()
	for _, serial := range doubted {
		c.seen.mark(key(host, s.epoch, serial), true)
	}
}

// note adds a line to its second and minute.
func (c *counter) note(r *Record, starts bool, grew uint64) {
	kind := 2
	switch {
	case r.Status == 499:
		kind = 0
	case r.Status >= 500:
		kind = 1
	}
	c.statuses[kind]++
	if r.Upstreams > 0 {
		c.upstreams += uint64(r.Upstreams)
	}
	if len(r.Flags) > 0 && len(r.Flags) < 40 {
		if _, known := c.flags[string(r.Flags)]; known || len(c.flags) < 64 {
			c.flags[string(r.Flags)]++
		}
	}
	if c.opts.Limit == 0 && r.Ordinal > c.time.wall {
		c.time.raise(r.Ordinal)
		c.atWall = 0
		c.usedUp.reset()
	}
	if r.Ordinal == c.time.wall {
		c.atWall++
	}
	if !r.Timed {
		return
	}
	if !c.timed {
		c.timed, c.first, c.last = true, r.Time, r.Time
	}
	c.first, c.last = min(c.first, r.Time), max(c.last, r.Time)
	c.fine = c.fine || r.Time%1000 != 0
	if s, m := c.time.advance(r.Time / 1000); s != nil {
		s.take(kind, starts, r.Ordinal, c.time.wall)
		m.take(starts, grew, r.Ordinal, c.time.wall)
	}
}

func (s *second) take(kind int, starts bool, ordinal, wall uint32) {
	s.requests++
	switch kind {
	case 0:
		s.e499++
	case 1:
		s.e5xx++
	}
	if starts {
		s.began++
	}
	if ordinal == wall && ordinal > 0 {
		if s.endsOf != wall {
			s.ends, s.endsOf = 0, wall
		}
		s.ends++
	}
}

func (m *minute) take(starts bool, grew uint64, ordinal, wall uint32) {
	m.requests++
	m.opened += int64(grew)
	if starts {
		m.began++
	}
	if ordinal == wall && ordinal > 0 {
		if m.endsOf != wall {
			m.ends, m.endsOf = 0, wall
		}
		m.ends++
	}
}

// enter updates the connection's entry.
func (c *counter) enter(k uint64, before bool, r *Record) {
	now := c.tick()
	e := c.table.find(k)
	if e == nil {
		e = c.table.insert(k, now)
		e.first, e.again = uint32(r.Time), before
		if before {
			c.comeBack(r)
		}
	}
	e.lines++
	ordinal := r.Ordinal
	if !c.ordinal {
		ordinal = e.lines
	}
	if e.least == 0 || ordinal < e.least {
		e.least = ordinal
	}
	if ordinal > e.most {
		e.most, e.full = ordinal, uint32(r.Time)
		if r.Age >= 0 {
			e.age = uint32(min(r.Age, 1<<32-1))
		}
	}
	e.last = now
	if e.proto == Unknown {
		e.proto = r.Protocol
	}
}

// comeBack reverses the retirement of a connection that left the table too early. Its last ordinal
// was the one before this, unless streams ended out of order.
func (c *counter) comeBack(r *Record) {
	c.seenAgain++
	if h := c.closed[r.Protocol]; !c.ordinal || h == nil || !h.remove(r.Ordinal-1) {
		c.standTwice++
	}
}

// retire counts a connection that has ended, or what is known of one that may be open.
func (c *counter) retire(e *entry, into []*histogram) {
	if into[e.proto] == nil {
		into[e.proto] = newHistogram()
	}
	into[e.proto].add(e.most)
	if !c.ordinal {
		return
	}
	if e.lines > e.most-e.least+1 {
		c.twice++
	} else if e.least == 1 {
		c.missing += uint64(e.most - e.lines)
	}
	if e.most != c.time.wall {
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
	alive := uint32(max(0, c.last/1000-int64(c.opts.Idle/time.Second)))
	c.table.each(func(e *entry) {
		if c.timed && e.last < alive {
			c.retire(e, c.closed[:])
			return
		}
		c.retire(e, c.open[:])
	})
	for i := range c.servers {
		c.servers[i].sumUp()
	}
	c.time.finish()
}
