package accesslog

import (
	"cmp"
	"errors"
	"math"
	"time"
)

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

	room, chunks int // connections in the table, parts of seen; for tests, 0 means the default
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
	closed, open          *histogram
	began, restarts       uint64
	status499, status5xx  uint64
	upstreams             uint64
	seenAgain             uint64
	twice                 uint64 // connections with more lines than requests
	limit                 uint32 // the highest ordinal so far, or the given limit
	atLimit               uint64 // lines with it: connections that reached it
	missing               uint64 // ordinals without a line, of connections seen from their first request
	first, last           int64  // in milliseconds
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
	o.room, o.chunks = cmp.Or(o.room, usualRoom), cmp.Or(o.chunks, seenChunks)
	n := &counter{opts: o, ordinal: c.has[fOrdinal], byAddress: !c.has[fConnection], has: c.has,
		names: map[string]uint8{}, seen: newSeen(o.chunks), limit: o.Limit,
		closed: newHistogram(), open: newHistogram(),
		time: timeline{open: map[int64]*Minute{}}, checks: checks{groups: map[uint32]*checkGroup{}}}
	forget := uint32(o.Idle/time.Second) * forgetAfter
	n.table = newTable(o.room, forget, func(e *entry) { n.retire(e, n.closed) })
	if !n.dated() {
		n.table.idle = 1 << 31 // the end of a connection is unknown; only the table's size limits it
	}
	return n
}

// dated reports whether lines have a time.
func (c *counter) dated() bool {
	return c.has[fTime] || c.has[fTimeUnix]
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
		c.restarts++
		s.restart(r.Connection)
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

// note counts what a line says beside its connection, and adds it to its minute.
func (c *counter) note(r *Record, starts bool, grew uint64) {
	switch {
	case r.Status == 499:
		c.status499++
	case r.Status >= 500:
		c.status5xx++
	}
	if r.Upstreams > 0 {
		c.upstreams += uint64(r.Upstreams)
	}
	if c.opts.Limit == 0 && r.Ordinal > c.limit {
		c.limit, c.atLimit = r.Ordinal, 0
	}
	if r.Ordinal == c.limit {
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
	m := c.time.at(r.Time)
	m.Requests++
	m.OpenedAtMost += int64(grew)
	if starts {
		m.New++
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
		if before { // it left the table too early, and is in the distribution twice
			c.seenAgain++
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
}

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

// server is one nginx or Envoy that wrote lines. It numbers its connections over all its workers,
// and starts again when it is restarted (ngx_connection_counter; a reload keeps it).
type server struct {
	epoch uint8
	// highest is the highest serial of this epoch; from is that of the first connection whose first
	// request is in the log.
	highest, from uint64
	// used counts connections since then that had a line; gone are the empty and the opened
	// connections of earlier epochs.
	used        uint64
	gaps, opens uint64
	// doubts counts serials in a row that may have started again, doubted is the last of them; twice counts those whose
	// first request occurred before.
	doubts, twice int
	doubted       uint64
	// firsts counts first requests, backwards those on a much lower serial than the highest.
	firsts, backwards uint64
	growth            growth
}

const mostServers = 255

// serverOf finds the server that wrote the line, by its name.
func (c *counter) serverOf(name []byte) (uint8, error) {
	if len(name) == 0 && len(c.servers) > 0 {
		return 0, nil
	}
	if i, known := c.names[string(name)]; known {
		return i, nil
	}
	if len(c.servers) >= mostServers {
		return 0, errors.New("lines of more than 255 servers ($hostname): give the logs of fewer at once")
	}
	i := uint8(len(c.servers))
	c.names[string(name)] = i
	c.servers = append(c.servers, server{epoch: 1})
	return i, nil
}

// hostShift is where a key has the host.
const hostShift = 56

// key identifies a connection across the whole log: host, epoch, serial.
func key(host, epoch uint8, serial uint64) uint64 {
	return uint64(host)<<hostShift | uint64(epoch)<<48 | serial
}

const (
	// farBelow is how far a serial must be below the log's first one to count as one of a restarted
	// server.
	farBelow = 4096
	// inARow is how many such serials must come in order, twiceInARow how many repeated first
	// requests.
	inARow      = 6
	twiceInARow = 2
)

// began processes a connection's first request and reports whether the serials have started again.
// A repeated first request may be a line that was written twice, and a very low serial may be that
// of a long request, so one is not enough.
func (s *server) began(serial uint64, twice bool) (restarted bool) {
	s.firsts++
	if serial+farBelow < s.highest {
		s.backwards++
	}
	again := twice && serial*2 < s.highest
	below := !twice && s.from > farBelow && serial < s.from/2 && s.from-serial > farBelow
	if !again && !below || serial <= s.doubted {
		s.doubts, s.twice = 0, 0
	}
	if s.doubted = 0; !again && !below {
		return false
	}
	s.doubted = serial
	s.doubts++
	if again {
		s.twice++
	}
	return s.twice >= twiceInARow || s.doubts >= inARow
}

const (
	// mostRestarts is the maximum number of restarts in one log; more mean lines of several servers.
	mostRestarts = 3
	// fewMixed is the share of connections that may look like another server's: long first requests, and
	// lines that were written twice around a restart.
	fewMixed  = 0.05
	someMixed = 10
)

// mixed reports whether lines of several servers can't be told apart: one server's serials grow, and each
// of its requests has one line.
func (c *counter) mixed() bool {
	if c.byAddress {
		return false
	}
	var firsts, backwards uint64
	for i := range c.servers {
		firsts, backwards = firsts+c.servers[i].firsts, backwards+c.servers[i].backwards
	}
	return c.restarts > mostRestarts ||
		backwards > someMixed && float64(backwards) > fewMixed*float64(firsts) ||
		c.overlapping > someMixed && float64(c.overlapping) > fewMixed*float64(c.began)
}

// goesOn reports whether a connection of the serials before is still in use: its workers end it, while new ones
// number theirs anew.
func (c *counter) goesOn(old, now uint64) bool {
	return c.table.find(now) == nil && c.table.find(old) != nil
}

// restart begins another epoch of the serials. The few connections that raised the doubt count to the one before.
func (s *server) restart(serial uint64) {
	s.sumUp()
	s.epoch = s.epoch%255 + 1
	s.from, s.highest, s.used = serial, 0, 0
	s.doubts, s.twice, s.doubted = 0, 0, 0
}

// sumUp adds this epoch's serials to those of the earlier ones.
func (s *server) sumUp() {
	if s.from == 0 || s.highest < s.from {
		return
	}
	opened := s.highest - s.from + 1
	s.opens += opened
	s.gaps += opened - min(s.used, opened)
}

// take records a line's serial and returns by how much the highest one grew.
func (s *server) take(serial uint64, first, fresh bool) (grew uint64) {
	if first && s.from == 0 {
		s.from = serial
	}
	if fresh && s.from > 0 && serial >= s.from {
		s.used++
	}
	if serial > s.highest {
		if s.highest > 0 {
			grew = serial - s.highest
		}
		s.highest = serial
	}
	return grew
}

// retire counts a connection that has ended, or what is known of one that may be open.
func (c *counter) retire(e *entry, into *histogram) {
	into.add(e.most, 1)
	c.record(e, into == c.open)
	c.checks.ended(e)
	if !c.ordinal {
		return
	}
	if e.lines > e.most-e.least+1 {
		c.twice++
	} else if e.least == 1 {
		c.missing += uint64(e.most - e.lines)
	}
}

// finish retires the remaining connections: those that were silent for long enough have ended, the
// others may be open.
func (c *counter) finish() {
	open := uint32(max(0, c.last/1000-int64(c.opts.Idle/time.Second)))
	for i := range c.table.slots {
		switch e := &c.table.slots[i]; {
		case e.key == 0:
		case c.timed && e.last < open:
			c.retire(e, c.closed)
		default:
			c.retire(e, c.open)
		}
	}
	c.checks.settle()
	for i := range c.servers {
		c.servers[i].sumUp()
	}
	c.time.close(math.MaxInt64)
}
