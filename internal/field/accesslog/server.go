package accesslog

import "errors"

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
	// doubted are serials that may have started again; twice counts those whose first request
	// occurred before.
	doubted []uint64
	twice   int
	// firsts counts first requests, backwards those on a much lower serial than the highest.
	firsts, backwards uint64
	growth            growth
}

const mostServers = 255

var errServers = errors.New("lines of more than 255 servers ($hostname): give the logs of fewer at once")

// serverOf finds the server that wrote the line, by its name.
func (c *counter) serverOf(name []byte) (uint8, error) {
	if len(name) == 0 && len(c.servers) > 0 {
		return 0, nil
	}
	if i, known := c.names[string(name)]; known {
		return i, nil
	}
	if len(c.servers) >= mostServers {
		return 0, errServers
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
	last := len(s.doubted) - 1
	switch {
	case !again && !below:
		s.doubted, s.twice = s.doubted[:0], 0
		return false
	case last >= 0 && serial <= s.doubted[last]:
		s.doubted, s.twice = s.doubted[:0], 0
	}
	s.doubted = append(s.doubted, serial)
	if again {
		s.twice++
	}
	return s.twice >= twiceInARow || len(s.doubted) >= inARow
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

// restart begins another epoch with the doubtful serials.
func (s *server) restart() {
	s.sumUp()
	n := len(s.doubted)
	s.epoch = s.epoch%255 + 1
	s.from, s.highest, s.used = s.doubted[0], s.doubted[n-1], uint64(n-1) // the last one's line is still to come
	s.doubted, s.twice = s.doubted[:0], 0
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
