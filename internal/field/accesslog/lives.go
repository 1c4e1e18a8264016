package accesslog

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

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

// lifespans are the lives of a log's clients, without those of health checks, by client and start.
type lifespans struct {
	all        []life
	groups     [][]life // those of one client each
	last       int64    // the log's last time, in milliseconds
	resolution int64    // of the log's times, in milliseconds
}

// lifespans returns nil where the log says nothing about time, or too many connections left the table
// while they were open.
func (c *counter) lifespans() *lifespans {
	if !c.timed || c.mixed() || c.table.early*10 > c.began {
		return nil
	}
	d := &lifespans{last: c.last, resolution: 1000}
	if c.fine {
		d.resolution = 1
	}
	for _, l := range c.lives.all {
		if g := c.checks.groups[l.check]; g == nil || !g.checks {
			l.open = l.open && !d.silent(&l)
			d.all = append(d.all, l)
		}
	}
	slices.SortFunc(d.all, func(a, b life) int {
		return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	for from, i := 0, 1; i <= len(d.all); i++ {
		if i == len(d.all) || d.all[i].client != d.all[from].client {
			d.groups = append(d.groups, d.all[from:i])
			from = i
		}
	}
	return d
}

const (
	// longSilence times its longest silence so far, a connection that was in steady use has ended.
	longSilence = 20
	// steady is the least number of requests for that.
	steady = 10
)

// silent reports whether a connection of a short log has ended before the log does.
func (d *lifespans) silent(l *life) bool {
	return l.n >= steady && d.last-l.end > longSilence*max(int64(l.gap), d.resolution)
}

// continues says whether the clients of some connections go on after the end of these.
type continues uint8

const (
	unclear continues = iota
	goesOn            // they do, on a new connection: the server or something before it has ended the old one
	stops             // they don't: the clients have ended it
)

const (
	// soon is how much later a new connection's first request is answered, in milliseconds, and pauses how
	// many intervals between requests that may be.
	soon   = 300
	pauses = 5
	// overtake is how much earlier it may be answered than the last request of the old connection.
	overtake = 100
	// around is how many windows before and after the end show how many connections begin by chance.
	around = 10
	// apartBy is how many windows a connection must last, so that its client's others aren't in its window.
	apartBy = 3
	// each end is followed by one more connection than by chance, or by hardly any.
	oneMore, noneMore = 0.6, 0.3
	// sure is how many standard errors a difference must have.
	sure = 3.0
	// leastFollowed is how many ends it takes.
	leastFollowed = 3
	// always is the mean number of connections that begin at an end where each is followed by one.
	always = 0.9
)

// after examines the connections that a condition selects: how many connections of the same client begin
// at their end, and how many more than by chance.
func (d *lifespans) after(selected func(*life) bool) continues {
	then, _ := d.followed(selected)
	return then
}

func (d *lifespans) followed(selected func(*life) bool) (then continues, mean float64) {
	var all, more []float64
	for _, g := range d.groups {
		for i := range g {
			if l := &g[i]; !l.open && selected(l) {
				n, chance, known := d.begun(g, l)
				all = append(all, n)
				if known {
					more = append(more, n-chance)
				}
			}
		}
	}
	if len(all) < leastFollowed {
		return unclear, 0
	}
	_, mean = deviation(all)
	if mean <= noneMore {
		return stops, mean
	}
	if len(more) < leastFollowed {
		return unclear, mean
	}
	spread, excess := deviation(more)
	switch doubt := sure * spread / math.Sqrt(float64(len(more))); {
	case excess >= oneMore && excess > doubt:
		return goesOn, mean
	case excess+doubt/sure <= noneMore && doubt <= 2*noneMore:
		return stops, mean
	}
	return unclear, mean
}

// begun counts the connections of a client that begin at the end of one of them, and how many do by chance in
// such a time; that is unknown where they follow each other too fast.
func (d *lifespans) begun(g []life, l *life) (n, chance float64, known bool) {
	count := func(from, to int64) float64 {
		less := func(l life, t int64) int { return cmp.Compare(l.start, t) }
		i, _ := slices.BinarySearchFunc(g, from, less)
		j, _ := slices.BinarySearchFunc(g, to+1, less)
		return float64(max(0, j-i))
	}
	later := d.resolution + int64(max(soon, pauses*l.interval()))
	before := max(d.resolution, overtake)
	window := before + later
	n = count(l.end-before, l.end+later)
	from := max(g[0].start, l.end-around*window)
	to := max(from, min(d.last, l.end+around*window))
	chance = (count(from, to) - n) * float64(window) / float64(max(1, to-from-window))
	if l.start >= l.end-before {
		n--
	}
	return n, max(0, chance), l.lasts() >= apartBy*window
}

// identified reports whether the log names its clients.
func (d *lifespans) identified() bool { return len(d.all) > 0 && d.all[len(d.all)-1].client != 0 }

// programs counts the different programs whose connections a condition selects.
func (d *lifespans) programs(selected func(*life) bool) int {
	found := map[uint32]bool{}
	for i := range d.all {
		if l := &d.all[i]; l.program != 0 && selected(l) {
			found[l.program] = true
		}
	}
	return len(found)
}

// ended returns the lives that are in the log from their first request to their end.
func (d *lifespans) ended(least uint32) []life {
	var out []life
	for _, l := range d.all {
		if l.whole && !l.open && l.n >= least {
			out = append(out, l)
		}
	}
	return out
}

// distinct counts the times that differ by more than a tolerance.
func distinct(times []int64, tolerance int64) (n int) {
	slices.Sort(times)
	for i, t := range times {
		if i == 0 || t-times[i-1] > tolerance {
			n++
		}
	}
	return n
}

// HealthCheck is a client that asks the same at regular times, each time on a new connection.
type HealthCheck struct {
	Agent       string  `json:"agent"`
	Request     string  `json:"request"`
	Connections uint64  `json:"connections"`
	EveryS      float64 `json:"every_s"`
}

// checkGroup counts the connections of one client whose first request is the same.
type checkGroup struct {
	agent, request string
	client         uint32
	checks         bool   // they are health checks
	n              uint64 // connections that began
	several        uint64 // of those that ended, those with more than one request
	first, last    int64  // in milliseconds
	squares        float64
}

// checks are the groups that may be health checks, by a hash of client and request.
type checks struct {
	groups map[uint32]*checkGroup
	full   int64 // until then, in milliseconds, there is no room for another
}

const (
	mostChecks = 4096
	// leastChecks is how often something must happen to be regular.
	leastChecks = 6
)

// began counts a connection by its first request and returns its group; 0 means none.
func (c *checks) began(r *Record, client uint32) uint32 {
	if r.Ordinal > 1 || client == 0 || !r.Timed {
		return 0
	}
	k := uint32(xxhash.Sum64(r.Request)) ^ client
	g := c.groups[k]
	if g == nil {
		if !c.room(r.Time) {
			return 0
		}
		g = &checkGroup{client: client, first: r.Time, last: r.Time}
		c.groups[k] = g
	}
	if g.n == 1 { // most groups have one connection and need no name
		g.agent, g.request = string(r.Agent), string(r.Request)
	}
	g.count(r.Time)
	return k
}

// room reports whether there is room for another group, and forgets rare ones for it.
func (c *checks) room(now int64) bool {
	if len(c.groups) >= mostChecks && now >= c.full {
		maps.DeleteFunc(c.groups, func(_ uint32, g *checkGroup) bool { return g.n < leastChecks && g.last < now-15*60_000 })
		c.full = now + 60_000
	}
	return len(c.groups) < mostChecks
}

func (g *checkGroup) count(ms int64) {
	g.n++
	g.squares += float64(ms-g.last) * float64(ms-g.last)
	g.last = max(g.last, ms)
}

// ended counts a connection with more than one request.
func (c *checks) ended(e *entry) {
	if g := c.groups[e.check]; g != nil && e.most > 1 {
		g.several++
	}
}

// checkers are programs whose requests are health checks: the agents that Kubernetes, Google Cloud, AWS,
// Consul and Envoy document for theirs.
var checkers = []string{"kube-probe/", "GoogleHC/", "ELB-HealthChecker/", "Amazon-Route53-Health-Check-Service",
	"Consul Health Check", "Envoy/HC"}

const (
	// irregular is the deviation of the intervals, relative to their mean: arrivals at random have 1.
	irregular = 0.5
	// clearly regular are fewer than someChecks: the deviation of a few random intervals is often small.
	clearlyRegular, someChecks = 0.25, 20
	// alone is the share of its connections that a client opens for checks, if it is nothing but a checker.
	alone = 0.9
)

// settle decides which groups are health checks: those of a program that is known for it, and those of a client that
// does hardly anything else.
func (c *checks) settle() {
	all, regular := map[uint32]uint64{}, map[uint32]uint64{}
	for _, g := range c.groups {
		all[g.client] += g.n
		if g.regular() {
			regular[g.client] += g.n
		}
	}
	for _, g := range c.groups {
		g.checks = g.regular() && (g.named() || float64(regular[g.client]) >= alone*float64(all[g.client]))
	}
}

// named reports whether a program is known for health checks.
func (g *checkGroup) named() bool {
	return slices.ContainsFunc(checkers, func(name string) bool { return strings.HasPrefix(g.agent, name) })
}

// regular reports whether a group may be one of health checks.
func (g *checkGroup) regular() bool {
	if g.n < leastChecks || g.several > 0 {
		return false
	}
	if g.named() {
		return true
	}
	mean := float64(g.last-g.first) / float64(g.n-1)
	if mean < 500 {
		return false
	}
	deviation := math.Sqrt(max(0, g.squares/float64(g.n-1)-mean*mean))
	return deviation <= irregular*mean && (g.n >= someChecks || deviation <= clearlyRegular*mean)
}

// mostHealthChecks limits the list.
const mostHealthChecks = 20

// found are the health checks, those with the most connections first, and the connections of all.
func (c *checks) found() (list []HealthCheck, connections uint64) {
	list = []HealthCheck{}
	for _, g := range c.groups {
		if !g.checks {
			continue
		}
		connections += g.n
		list = append(list, HealthCheck{Agent: strings.ToValidUTF8(g.agent, "?"), Connections: g.n,
			Request: strings.ToValidUTF8(g.request, "?"), EveryS: float64(g.last-g.first) / 1000 / float64(g.n-1)})
	}
	slices.SortFunc(list, func(a, b HealthCheck) int {
		return cmp.Or(cmp.Compare(b.Connections, a.Connections), cmp.Compare(a.Agent, b.Agent),
			cmp.Compare(a.Request, b.Request))
	})
	return list[:min(len(list), mostHealthChecks)], connections
}
