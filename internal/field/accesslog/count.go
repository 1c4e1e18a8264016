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
	// Again is the command that asks the same question, for the next step.
	Again string
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
	atLimit               uint64 // lines with the highest ordinal: connections that reached it
	missing               uint64 // ordinals without a line, of connections seen from their first request
	usedUp                spans  // how long connections took to reach the limit
	flags                 map[string]uint64
	first, last           int64 // in milliseconds
	timed                 bool
	fine                  bool // times have fractions of a second
	lines                 uint64

	// overlapping counts first requests of a connection that had one before, at another time.
	overlapping uint64

	byAddress bool // connections are identified by the client's address and port
	lives     lives
	checks    checks
	ordinals  survivors
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
	n := &counter{opts: o, ordinal: c.has[fOrdinal], byAddress: !c.has[fConnection], has: c.has,
		names: map[string]uint8{}, flags: map[string]uint64{}, seen: newSeen(o.chunks), usedUp: newSpans(),
		checks: checks{groups: map[uint32]*checkGroup{}}}
	forget := uint32(o.Idle/time.Second) * forgetAfter
	n.table = newTable(o.tableBits, forget, func(e *entry) { n.retire(e, &n.closed) })
	n.time.limit = o.Limit
	if !n.dated() {
		n.table.idle = 1 << 31 // the end of a connection is unknown; only the table's size limits it
	}
	return n
}

// dated reports whether lines have a time.
func (c *counter) dated() bool {
	return c.has[fTimeLocal] || c.has[fTimeISO] || c.has[fTimeUnix] || c.has[fTimeHAProxy]
}

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
	if c.byAddress {
		c.addByAddress(host, r)
		return nil
	}
	s := &c.servers[host]
	first := r.Ordinal == 1
	k := key(host, s.epoch, r.Connection)
	if old := key(host, s.epoch-1, r.Connection); r.Ordinal > 1 && s.epoch > 1 && c.goesOn(old, k) {
		c.count(r, false, false)
		c.note(r, false, 0)
		c.enter(old, true, r)
		return nil
	}
	before, firstBefore := c.seen.mark(k, first)
	if !c.ordinal {
		first = !before
	}
	if first && s.began(r.Connection, firstBefore) {
		c.startOver(host, r.Protocol, firstBefore)
		k = key(host, s.epoch, r.Connection)
		before, firstBefore = c.seen.mark(k, first)
	}
	if first && firstBefore && c.laterThan(k, r) {
		c.overlapping++
	}
	starts := first && !firstBefore
	c.count(r, !before, starts)
	grew := s.take(r.Connection, first, !before)
	if grew > 0 && r.Timed {
		s.growth.add(grew-1, r.Time)
	}
	c.note(r, starts, grew)
	c.enter(k, before, r)
	return nil
}

func (c *counter) count(r *Record, fresh, starts bool) {
	c.lines++
	c.requests[r.Protocol]++
	if fresh {
		c.connections[r.Protocol]++
	}
	if starts {
		c.began++
	}
	if c.ordinal {
		c.ordinals.add(r.Ordinal)
	}
}

// laterThan reports whether a connection's first line was written clearly before.
func (c *counter) laterThan(k uint64, r *Record) bool {
	e := c.table.find(k)
	return e != nil && c.timed && int32(uint32(r.Time)-e.first) > apart
}

// apart is how much later a line is not the same line written twice, in milliseconds.
const apart = 2000

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
	if c.opts.Limit == 0 && r.Ordinal > c.time.limit {
		c.time.raise(r.Ordinal)
		c.atLimit = 0
		c.usedUp.reset()
	}
	if r.Ordinal == c.time.limit {
		c.atLimit++
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
		s.take(kind, starts, r.Ordinal, c.time.limit)
		m.take(starts, grew, r.Ordinal, c.time.limit)
	}
}

func (s *second) take(kind int, starts bool, ordinal, limit uint32) {
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
	if ordinal == limit && ordinal > 0 {
		if s.endsOf != limit {
			s.ends, s.endsOf = 0, limit
		}
		s.ends++
	}
}

func (m *minute) take(starts bool, grew uint64, ordinal, limit uint32) {
	m.requests++
	m.opened += int64(grew)
	if starts {
		m.began++
	}
	if ordinal == limit && ordinal > 0 {
		if m.endsOf != limit {
			m.ends, m.endsOf = 0, limit
		}
		m.ends++
	}
}

// enter updates the connection's entry.
func (c *counter) enter(k uint64, before bool, r *Record) {
	now, ms := c.tick(), uint32(r.Time)
	e := c.table.find(k)
	if e == nil {
		e = c.table.insert(k, now)
		e.first, e.end, e.again = ms, ms, before
		e.client, e.program = r.client()
		e.check = c.checks.began(r, e.client)
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
		e.most, e.full = ordinal, ms
		if r.Age >= 0 {
			e.age = uint32(min(r.Age, 1<<32-1))
		}
	}
	if silent := int32(ms - e.end); silent > 0 { // else a line out of order
		e.gap, e.end = max(e.gap, uint32(silent)), ms
	} else if int32(ms-e.first) < 0 {
		e.first = ms
	}
	e.last = now
	if e.proto == Unknown {
		e.proto = r.Protocol
	}
}
