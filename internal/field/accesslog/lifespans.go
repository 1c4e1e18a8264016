package accesslog

import (
	"cmp"
	"math"
	"slices"
)

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
