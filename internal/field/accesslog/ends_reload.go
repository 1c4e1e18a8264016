package accesslog

import (
	"cmp"
	"slices"
	"time"
)

// Reload is a moment at which all connections ended, whatever number of requests they had carried.
type Reload struct {
	At          time.Time `json:"at"`
	Connections uint64    `json:"connections"`

	since int64 // connections that were used last after this time, in milliseconds, ended with it
	hosts [4]uint64
}

// ended reports whether a connection ended with the others.
func (r *Reload) ended(l *life) bool {
	return l.end > r.since && l.end <= r.At.UnixMilli() && r.hosts[l.host/64]>>(l.host%64)&1 == 1
}

// join adds another server's reload to one at the same time.
func (r *Reload) join(other Reload) {
	r.Connections += other.Connections
	r.since = min(r.since, other.since)
	if other.At.After(r.At) {
		r.At = other.At
	}
	for i := range r.hosts {
		r.hosts[i] |= other.hosts[i]
	}
}

const (
	// leastOpen is how many connections must be open for their common end to mean something.
	leastOpen = 4
	// remain is the share of them that may outlive a reload: a worker finishes the requests that it has.
	remain = 0.1
	// mostReloads limits the list.
	mostReloads = 50
)

// step is a change of the number of connections that are in use some time before and after.
type step struct {
	at int64
	by int
}

// reloads finds the moments that no connection to a server outlives while its clients go on with new ones.
func (d *lifespans) reloads(limit uint32) []Reload {
	used := d.lasting(limit)
	byHost := map[uint8][]life{}
	for _, l := range used {
		byHost[l.host] = append(byHost[l.host], l)
	}
	var all []Reload
	var ended uint64
	for host, of := range byHost {
		for _, r := range d.reloadsOf(of) {
			r.hosts[host/64] |= 1 << (host % 64)
			all = append(all, r)
			ended += r.Connections
		}
	}
	if float64(ended) < aSizable*float64(len(used)) {
		return []Reload{}
	}
	slices.SortFunc(all, func(a, b Reload) int { return a.At.Compare(b.At) })
	out := []Reload{}
	for _, r := range all {
		if n := len(out); n > 0 && r.since < out[n-1].At.UnixMilli() {
			out[n-1].join(r)
		} else {
			out = append(out, r)
		}
	}
	return out[:min(len(out), mostReloads)]
}

// reloadsOf finds those of one server.
func (d *lifespans) reloadsOf(used []life) (out []Reload) {
	margin := max(2*d.resolution, 500)
	var steps []step
	for i := range used {
		if l := &used[i]; l.lasts() > 2*margin {
			steps = append(steps, step{l.start + margin, 1}, step{l.end - margin, -1})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), b.by-a.by) })
	open, most := 0, 0
	for _, s := range steps {
		open += s.by
		most = max(most, open)
		if s.by < 0 && most >= leastOpen && float64(open) <= remain*float64(most) {
			if r, is := d.reloadAt(used, s.at+margin, margin); is && len(out) < mostReloads {
				if n := len(out); n > 0 && r.since < out[n-1].At.UnixMilli() { // the last connections of the same one
					out = out[:n-1]
				}
				out = append(out, r)
			}
			most = open
		}
	}
	return out
}

// brief is the share of the usual time below which a connection is too short to say something about a
// reload: visitors come and go beside the pools.
const brief = 0.25

// lasting are the connections that last long, compared with where most of the connections' time is.
func (d *lifespans) lasting(limit uint32) []life {
	var used []life
	for _, l := range d.all {
		if l.n > 1 && (limit == 0 || l.n != limit) {
			used = append(used, l)
		}
	}
	slices.SortFunc(used, func(a, b life) int { return cmp.Compare(a.lasts(), b.lasts()) })
	half, least := together(used)/2, int64(0)
	for i := range used {
		if half -= float64(used[i].lasts()); half <= 0 {
			least = int64(brief * float64(used[i].lasts()))
			break
		}
	}
	return slices.DeleteFunc(used, func(l life) bool { return l.lasts() < least })
}

// reloadAt examines the moment after which hardly any connection was used: the others ended shortly before
// it, after they had been in use for long, and their clients went on.
func (d *lifespans) reloadAt(used []life, at, margin int64) (Reload, bool) {
	intervals, lasted := []float64{}, []int64{}
	clients, numbers := map[uint32]bool{}, map[uint32]bool{}
	window := margin
	for range 2 { // the window depends on how often the connections in it are used
		intervals, lasted = intervals[:0], lasted[:0]
		for i := range used {
			if l := &used[i]; l.end <= at && l.end > at-max(window, 10_000) {
				intervals, lasted = append(intervals, l.interval()), append(lasted, l.lasts())
				clients[l.client], numbers[l.n] = true, true
			}
		}
		if len(intervals) < leastOpen {
			return Reload{}, false
		}
		slices.Sort(intervals)
		window = margin + int64(pauses*intervals[len(intervals)*9/10])
	}
	slices.Sort(lasted)
	if at > d.last-window { // the log ends
		return Reload{}, false
	}
	if lasted[len(lasted)/2] < 3*window || 2*len(numbers) <= len(lasted) && len(numbers) < leastOpen {
		return Reload{}, false
	}
	again := map[uint32]bool{}
	fresh := 0
	for i := range d.all {
		if l := &d.all[i]; l.start > at-window && l.start <= at+window && clients[l.client] {
			again[l.client] = true
			fresh++
		}
	}
	goOn := 2*len(again) >= len(clients) && 2*fresh >= len(lasted)
	return Reload{At: time.UnixMilli(at).UTC(), Connections: uint64(len(lasted)), since: at - max(window, 10_000)}, goOn
}
