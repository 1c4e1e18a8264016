package accesslog

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// limit finds the number of requests at which connections end. At a limit, many connections end at exactly
// that number and hardly any just below it, since a client that closes for its own reasons does so at any
// number. Without numbered requests the limit may be approximate.
func (r *reading) limit(all *histogram, d *lifespans) *Limit {
	c := r.count
	l := &Limit{How: "given", Requests: r.opts.Limit}
	if l.Requests == 0 {
		l.How, l.Requests = "found", commonEnd(all, !c.ordinal)
		if n := all.counts[l.Requests]; !usualLimit(l.Requests) && float64(n) < aSizable*float64(all.n-all.counts[1]) {
			l.Requests = 0 // a few may have the same number by chance
		}
	}
	if l.Requests == 0 && !c.ordinal && d != nil {
		l.Requests = pile(d.ended(2))
	}
	if l.Requests == 0 {
		return nil
	}
	if l.count(all, c); l.batches(all, !c.ordinal) {
		return nil
	}
	if minutes := float64(c.last-c.first) / 60e3; c.timed && minutes > 0 {
		rate := float64(l.EndedExactly) / minutes
		l.RenewalsPerMinute = &rate
	}
	l.UsedUpResolutionS = 1
	if c.fine || c.has[fAge] {
		l.UsedUpResolutionS = 0.001
	}
	l.usedUp(d)
	l.EndedBy = l.endedBy(d, c.opened(), l.oddPiles(all))
	return l
}

// oddPiles counts the other numbers at which nearly as many connections end, and that nobody configures.
func (l *Limit) oddPiles(all *histogram) (n int) {
	all.each(func(v uint32, ended uint64) {
		if v > 1 && v < l.Requests && 3*ended >= l.EndedExactly && !usualLimit(v) && all.endsAt(v) {
			n++
		}
	})
	return n
}

// count counts the connections that ended at the limit, and those that got more.
func (l *Limit) count(all *histogram, c *counter) {
	l.UpTo = l.Requests
	if !c.ordinal && l.How == "found" {
		l.UpTo += max(uint32(narrow*float64(l.Requests)), min(allow, l.Requests/5))
	}
	all.each(func(v uint32, n uint64) {
		switch {
		case v > l.UpTo:
			l.Beyond += n
		case v >= l.Requests:
			l.EndedExactly += n
		}
	})
	if c.ordinal && c.limit == l.Requests && c.twice == 0 {
		l.EndedExactly = c.atLimit // exact even if the table forgot connections
	}
}

// batches reports whether most of the connections with more requests carried a multiple of the number: their clients
// pause after as many each time, so the number ends no connection. A few of them may be ports that were used again.
func (l *Limit) batches(all *histogram, ports bool) bool {
	var multiples uint64
	all.each(func(v uint32, n uint64) {
		if v > l.UpTo && v%l.Requests == 0 {
			multiples += n
		}
	})
	if ports && float64(multiples) < fewBeyond*float64(l.EndedExactly) {
		return false
	}
	return l.How == "found" && multiples >= leastFollowed && 2*multiples >= l.Beyond
}

// at reports whether a connection ended at the limit.
func (l *Limit) at(v *life) bool { return v.n >= l.Requests && v.n <= l.UpTo }

// usedUp is how long connections took to reach the limit.
func (l *Limit) usedUp(d *lifespans) {
	if d == nil {
		return
	}
	var took []int64
	for i := range d.all {
		if v := &d.all[i]; v.whole && l.at(v) {
			took = append(took, v.lasts())
		}
	}
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	at := func(share float64) *float64 {
		s := max(l.UsedUpResolutionS, float64(took[int(share*float64(len(took)-1))])/1000)
		return &s
	}
	l.UsedUpP50S, l.UsedUpP10S = at(.5), at(.1)
}

// The causes of a common number of requests.
const (
	byServer  = "server"
	byClients = "clients"
	byUnknown = "unknown"
)

const (
	// fewBeyond is the share of connections with more requests that contradicts a limit: another server
	// block may have another one.
	fewBeyond = 0.05
	// severalPrograms that all end at the same number have hardly chosen it themselves.
	severalPrograms = 3
	// severalPiles are more than one server block with a limit of its own.
	severalPiles = 2
	// clearly is wasted connections per renewal that show a stampede beyond doubt: its client had requests
	// that waited, so it did not end the connection.
	clearly = 5.0
)

// endedBy says who ends the connections: a client that has sent what it wanted ends them all at the same
// number too.
func (l *Limit) endedBy(d *lifespans, opened *Opened, oddPiles int) string {
	stampede := opened != nil && !opened.Steady && float64(opened.EmptyAtLeast) >= wastedEach*float64(l.EndedExactly)
	then, followed := unclear, 0.0
	if d != nil {
		for i := range d.all {
			d.all[i].open = d.all[i].open && !l.at(&d.all[i])
		}
		then, followed = d.followed(l.at)
	}
	switch {
	case l.How == "given":
		return byServer
	case then == stops: // a client that comes back later shows who ended it only where its connections survive such a silence
		if l.AfterSilenceS = d.afterSilence(l.at); l.AfterSilenceS != nil {
			return byUnknown
		}
		return byClients
	case oddPiles >= severalPiles && !stampede: // so their clients choose numbers, perhaps this one too
		return byUnknown
	case float64(l.Beyond) >= max(2, fewBeyond*float64(l.EndedExactly)):
		if usualLimit(l.Requests) && then == goesOn {
			return byServer
		}
		return byUnknown
	case usualLimit(l.Requests) && (stampede || then == goesOn), l.Requests == 1000,
		l.Requests == 100 && (d == nil || d.identified() && followed >= always), // nginx's default until 1.19.10 (changes.xml)
		then == goesOn && d.programs(l.at) >= severalPrograms,
		stampede && float64(opened.EmptyAtLeast) >= clearly*float64(l.EndedExactly):
		return byServer
	}
	return byUnknown
}

// afterSilence is the shortest silence between the connections that a condition selects and the next one of their client,
// in seconds, if most of them are followed by one after a longer silence than any that the client's connections survived.
// Then an idle time may have ended them: the server's, or a balancer's.
func (d *lifespans) afterSilence(selected func(*life) bool) *float64 {
	var silences []int64
	all := 0
	for _, g := range d.groups {
		survived := int64(0)
		for i := range g {
			survived = max(survived, int64(g[i].gap))
		}
		for i := range g {
			if !selected(&g[i]) {
				continue
			}
			all++
			if i+1 < len(g) && g[0].client != 0 && g[i+1].start-g[i].end > survived+d.resolution {
				silences = append(silences, g[i+1].start-g[i].end)
			}
		}
	}
	if len(silences) < leastFollowed || 2*len(silences) <= all {
		return nil
	}
	shortest := float64(slices.Min(silences)) / 1000
	return &shortest
}

const (
	leastAtLimit = 3   // two connections with the same end may be chance
	leastAtLarge = 2   // except where the number is large
	large        = 100 // from this number on
	stepUp       = 3   // ratio to the most frequent neighbour
)

// commonEnd is the number at which connections end: the largest of all if enough end there, otherwise
// the one where most do; 0 means none. A single request is no limit: every client that sends one
// request ends there. Where connections are told apart by their ports, one that is used again soon carries the requests
// of two connections, so a few at the largest are not enough.
func commonEnd(h *histogram, ports bool) uint32 {
	if h.endsAt(h.max) && !ports {
		return h.max
	}
	var mode uint32
	var most uint64
	h.each(func(v uint32, n uint64) {
		if v > 1 && n > most {
			mode, most = v, n
		}
	})
	if h.endsAt(h.max) && (float64(h.counts[h.max]) >= fewBeyond*float64(most) || !h.endsAt(mode)) {
		return h.max
	}
	if h.endsAt(mode) {
		return mode
	}
	return 0
}

// endsAt compares a number with the most frequent of its neighbours, a fifth of it to either side.
func (h *histogram) endsAt(v uint32) bool {
	n := h.counts[v]
	if v < 2 || n < leastAtLarge || v < large && n < leastAtLimit {
		return false
	}
	width := max(1, v/5)
	var beside uint64
	for o, c := range h.counts {
		if o != v && o >= v-min(v, width) && o <= v+width {
			beside = max(beside, c)
		}
	}
	return n >= stepUp*beside
}

const (
	// narrow is how much more than the limit connections carry where it is approximate: Envoy serves what
	// arrives until its client has read GOAWAY.
	narrow = 0.05
	// allow is the same for small limits: streams in flight.
	allow = 20
	// leastPiled is the least share of the connections to be called a limit.
	leastPiled = 0.1
)

// pile finds an approximate limit: many connections end between that number of requests and slightly more,
// and hardly any at slightly fewer. 0 means none.
func pile(ended []life) uint32 {
	if len(ended) < leastAged {
		return 0
	}
	counts := make([]uint32, len(ended))
	for i := range ended {
		counts[i] = ended[i].n
	}
	slices.Sort(counts)
	most := counts[len(counts)-1-int(outliers*float64(len(counts)))]
	width := max(uint32(narrow*float64(most)), min(allow, most/5))
	at, _ := slices.BinarySearch(counts, most-min(most, width))
	below, _ := slices.BinarySearch(counts, most-min(most, 2*width))
	n, less := len(counts)-at, at-below
	if most < 2 || n < leastAged || n < stepUp*less || float64(n) < leastPiled*float64(len(counts)) {
		return 0
	}
	return counts[at]
}

// Age is the age at which connections end, whatever number of requests they carried.
type Age struct {
	// FromS and ToS are the shortest and the longest time that they lasted, Connections how many did so of
	// the Of that ended.
	FromS       float64 `json:"from_s"`
	ToS         float64 `json:"to_s"`
	Connections uint64  `json:"connections"`
	Of          uint64  `json:"of"`
	// Fewest and Most are the requests that they carried.
	Fewest uint32 `json:"fewest_requests"`
	Most   uint32 `json:"most_requests"`
	// Same says that they also carried the same number of requests, so that either may be the cause.
	Same bool `json:"same_requests"`
}

const (
	leastAged = 3 // connections, and different times at which they ended
	// wide is the width of the band of times that count as one age: a connection ends with the first request
	// after it, or with the last one before it. Connections count by how long they lasted, since short ones
	// are many. The band of the same width below it must have at most a third, and the longer times
	// together at most a quarter.
	wide, longer = 1.15, 0.25
	// leastTime is the share of all connections' time from which on an age is a cause.
	leastTime = 0.3
	// ticks is how many times the log's resolution an age must be, so that the band is about so wide.
	ticks    = 10
	outliers = 0.02
	// sharper is how many times smaller the relative spread of the cause is than that of its effect.
	sharper = 3.0
	// manyAged are enough where the log can't tell whether the clients go on.
	manyAged = 10
)

// age finds the age at which connections end: many times are nearly the same, and somewhat shorter and
// longer ones are rare. limit is the number of requests at which connections end, or 0.
func (d *lifespans) age(limit uint32, reloads []Reload) *Age {
	lived := d.ended(2)
	slices.SortFunc(lived, func(a, b life) int { return cmp.Compare(a.lasts(), b.lasts()) })
	from, to := densest(lived, d.resolution)
	band := lived[from:to]
	if len(band) < leastAged || band[0].lasts() < ticks*d.resolution {
		return nil
	}
	shortest, longest := band[0].lasts(), band[len(band)-1].lasts()
	below := slices.IndexFunc(lived, func(l life) bool { return wide*float64(l.lasts()) >= float64(shortest) })
	weight := together(band)
	if len(band) < stepUp*(1+from-below) || weight < stepUp*together(lived[below:from]) ||
		together(lived[to:]) > longer*weight || weight < leastTime*together(lived) {
		return nil
	}
	ends := make([]int64, len(band))
	for i := range band {
		ends[i] = band[i].end
	}
	if distinct(ends, max(d.resolution, longest/10)) < leastAged || d.betweenReloads(band, reloads) {
		return nil
	}
	switch d.after(func(l *life) bool { return l.lasts() >= shortest && l.lasts() <= longest }) {
	case stops:
		return nil
	case unclear: // of clients that leave, both vary alike
		if times, counts := d.spreads(band); len(band) < manyAged || times > counts/2 {
			return nil
		}
	}
	a := &Age{FromS: float64(shortest) / 1000, ToS: float64(longest) / 1000, Connections: uint64(len(band)),
		Of: uint64(len(lived)), Fewest: band[0].n}
	for _, l := range band {
		a.Fewest, a.Most = min(a.Fewest, l.n), max(a.Most, l.n)
	}
	return a.orRequests(d, band, lived, limit)
}

// densest is the band with the most time of connections, of lives that are sorted by theirs.
func densest(lived []life, resolution int64) (from, to int) {
	end := 0
	var time, most int64
	for i := range lived {
		limit := wide*float64(lived[i].lasts()) + float64(resolution)
		for end < len(lived) && float64(lived[end].lasts()) <= limit {
			time += lived[end].lasts()
			end++
		}
		if time >= most {
			from, to, most = i, end, time
		}
		time -= lived[i].lasts()
	}
	return from, to
}

// together is how long connections lasted together, in milliseconds.
func together(of []life) (sum float64) {
	for i := range of {
		sum += float64(of[i].lasts())
	}
	return sum
}

// orRequests decides whether the age is the cause or follows from a number of requests.
func (a *Age) orRequests(d *lifespans, band, lived []life, limit uint32) *Age {
	atLimit, piled := 0, pile(lived)
	for _, l := range lived {
		if limit > 0 && l.n == limit || limit == 0 && piled > 0 && l.n >= piled {
			atLimit++
		}
	}
	const clearly = 1.5
	if float64(atLimit) >= clearly*float64(len(band)) {
		return nil
	}
	if float64(len(band)) >= clearly*float64(atLimit) {
		return a
	}
	times, counts := d.spreads(band)
	switch {
	case a.Fewest == a.Most && !usualLimit(a.Most): // a steady client has the same number at any age
		if counts*sharper < times {
			return nil
		}
		a.Same = true
		return a
	case times*sharper < counts:
		return a
	case counts*sharper < times:
		return nil
	case usualAge((a.FromS+a.ToS)/2) && !usualLimit(limit):
		return a
	case usualLimit(limit):
		return nil
	}
	a.Same = true
	return a
}

// spreads are the relative deviations of times and of numbers of requests, neither below what the log
// can resolve.
func (d *lifespans) spreads(of []life) (times, counts float64) {
	var t, n []float64
	for i := range of {
		t, n = append(t, float64(of[i].lasts())), append(n, float64(of[i].n))
	}
	times, meanTime := deviation(t)
	counts, meanCount := deviation(n)
	return max(times, float64(d.resolution)/2) / max(1, meanTime), max(counts, 0.25) / max(1, meanCount)
}

func deviation(of []float64) (deviation, mean float64) {
	var squares float64
	for _, v := range of {
		mean += v / float64(len(of))
	}
	for _, v := range of {
		squares += (v - mean) * (v - mean) / float64(len(of))
	}
	return math.Sqrt(squares), mean
}

// usualAge reports whether a time is a round one, as it is set in configurations.
func usualAge(s float64) bool {
	for _, usual := range []float64{5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600, 7200} {
		if s >= 0.97*usual && s <= 1.05*usual {
			return true
		}
	}
	return false
}

// usualLimit reports whether a number is one that servers have by default or that people set: nginx's 100
// until 1.19.10 and 1000 since, round numbers, powers of two.
func usualLimit(n uint32) bool {
	return n >= 50 && (n%50 == 0 || n >= 64 && n&(n-1) == 0)
}

// betweenReloads reports whether connections lasted equally long because they began after one reload and ended with
// the next. Connections that began together and end at an age end together too, at first: then one that began later
// ends later, while a reload ends them all at its own time.
func (d *lifespans) betweenReloads(band []life, reloads []Reload) bool {
	ended, moments := 0, 0
	var starts, both float64 // sums of squares and of products of the deviations within each reload
	for i := range reloads {
		var from, to []float64
		for j := range band {
			if l := &band[j]; reloads[i].ended(l) {
				from, to = append(from, float64(l.start)), append(to, float64(l.end))
			}
		}
		if len(from) == 0 {
			continue
		}
		moments++
		ended += len(from)
		_, meanFrom := deviation(from)
		_, meanTo := deviation(to)
		for j := range from {
			starts += (from[j] - meanFrom) * (from[j] - meanFrom)
			both += (from[j] - meanFrom) * (to[j] - meanTo)
		}
	}
	if 2*ended <= len(band) {
		return false
	}
	if moments < leastAged {
		return true
	}
	const apart, follows = 0.5, 0.5 // of the resolution; of the slope, which is 1 for an age and 0 for a reload
	return math.Sqrt(starts/float64(ended)) > apart*float64(d.resolution) && both < follows*starts
}

// Reload is a moment at which all connections ended, whatever number of requests they had carried.
type Reload struct {
	At          time.Time `json:"at"`
	Connections uint64    `json:"connections"`

	since int64 // connections that were used last after this time, in milliseconds, ended with it
}

// ended reports whether a connection ended with the others.
func (r *Reload) ended(l *life) bool { return l.end > r.since && l.end <= r.At.UnixMilli() }

const (
	// leastOpen is how many connections must be open for their common end to mean something.
	leastOpen = 4
	// remain is the share of them that may outlive a reload: a worker finishes the requests that it has.
	remain = 0.1
	// mostReloads limits the list.
	mostReloads = 50
)

// reloads finds the moments that no connection to a server outlives while its clients go on with new ones.
func (d *lifespans) reloads(limit uint32) []Reload {
	used := d.lasting(limit)
	byHost := map[uint8][]life{}
	for _, l := range used {
		byHost[l.host] = append(byHost[l.host], l)
	}
	var all []Reload
	var ended uint64
	for _, of := range byHost {
		for _, r := range d.reloadsOf(of) {
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
		if n := len(out); n > 0 && r.since < out[n-1].At.UnixMilli() { // several servers at the same time
			r.Connections, r.since = r.Connections+out[n-1].Connections, min(r.since, out[n-1].since)
			out = out[:n-1]
		}
		out = append(out, r)
	}
	return out[:min(len(out), mostReloads)]
}

// reloadsOf finds those of one server.
func (d *lifespans) reloadsOf(used []life) (out []Reload) {
	margin := max(2*d.resolution, 500)
	used = slices.DeleteFunc(used, func(l life) bool { return l.lasts() <= 2*margin })
	starts := make([]int64, len(used))
	for i := range used {
		starts[i] = used[i].start
	}
	slices.Sort(starts)
	slices.SortFunc(used, func(a, b life) int { return cmp.Compare(a.end, b.end) })
	most := 0
	for i := range used {
		begun, _ := slices.BinarySearch(starts, used[i].end-2*margin)
		open := begun - i - 1 // after this end, without those that began just before it
		most = max(most, open+1)
		if most < leastOpen || float64(open) > remain*float64(most) {
			continue
		}
		if r, is := d.reloadAt(used[:i+1], margin); is && len(out) < mostReloads {
			if n := len(out); n > 0 && r.since < out[n-1].At.UnixMilli() { // the last connections of the same one
				out = out[:n-1]
			}
			out = append(out, r)
		}
		most = open
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

// reloadAt examines the end of the last of some connections, after which hardly any other was used: several ended
// shortly before it, after they had been in use for long, and their clients went on.
func (d *lifespans) reloadAt(used []life, margin int64) (Reload, bool) {
	at, window := used[len(used)-1].end, margin
	var together []life
	for range 2 { // the window depends on how often the connections in it are used
		from := len(used)
		for from > 0 && used[from-1].end > at-max(window, 10_000) {
			from--
		}
		if together = slices.Clone(used[from:]); len(together) < leastOpen {
			return Reload{}, false
		}
		slices.SortFunc(together, func(a, b life) int { return cmp.Compare(a.interval(), b.interval()) })
		window = margin + int64(pauses*together[len(together)*9/10].interval())
	}
	slices.SortFunc(together, func(a, b life) int { return cmp.Compare(a.lasts(), b.lasts()) })
	clients, numbers := map[uint32]bool{}, map[uint32]bool{}
	for _, l := range together {
		clients[l.client], numbers[l.n] = true, true
	}
	if at > d.last-window || // the log ends
		together[len(together)/2].lasts() < 3*window || 2*len(numbers) <= len(together) && len(numbers) < leastOpen {
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
	goOn := 2*len(again) >= len(clients) && 2*fresh >= len(together)
	return Reload{At: time.UnixMilli(at).UTC(), Connections: uint64(len(together)), since: at - max(window, 10_000)}, goOn
}

// Idle is the silence after which connections are not used again.
type Idle struct {
	// LongestReusedS is the longest silence after which a client used its connection again,
	// ShortestRenewedS the shortest after which it opened a new one.
	LongestReusedS   float64 `json:"longest_reused_s"`
	ShortestRenewedS float64 `json:"shortest_renewed_s"`
	// Connections were opened after such a silence, of the Of that followed another of their client.
	Connections uint64 `json:"connections"`
	Of          uint64 `json:"of"`
}

const (
	// mostOdd is the share of silences that may contradict: lines out of order, requests that run for long. Of
	// severalSilences one may always: a busy server ends one connection late.
	mostOdd         = 0.005
	severalSilences = 50
	// leastNear is how many silences must be somewhat shorter, and somewhat longer, than the idle time:
	// without them it may be anything between the two.
	leastNear = 3
	// leastTicks is how many times the resolution of the log an idle time must be.
	leastTicks = 4
	// nearShare is the least share of the longer silences that are at most three times the idle time.
	nearShare = 0.25
	// fewBriefer is the share of new connections after a clearly shorter silence from which on their
	// clients close them: silences of any length have more than this where enough of them are near.
	fewBriefer = 0.05
)

// idle finds an idle time: no client uses a connection again after a longer silence, and most new
// connections follow one.
func (d *lifespans) idle(limit uint32) *Idle {
	var kept, renewed []int64
	followers := 0
	for _, g := range d.groups {
		if g[0].client == 0 {
			continue
		}
		var before *life
		for i := range g {
			l := &g[i]
			if l.n > 1 {
				kept = append(kept, int64(l.gap))
			}
			if before != nil {
				followers++
				if silent := l.start - before.end; l.whole && silent > 0 && before.n != limit {
					renewed = append(renewed, silent)
				}
			}
			if before == nil || l.end > before.end {
				before = l
			}
		}
	}
	slices.Sort(kept)
	slices.Sort(renewed)
	if len(kept) < leastNear || len(renewed) < leastNear {
		return nil
	}
	return d.between(kept, renewed, followers)
}

// between compares the silences after which connections were used again with those after which a new one
// was opened.
func (d *lifespans) between(kept, renewed []int64, followers int) *Idle {
	odd := int(mostOdd * float64(len(kept)))
	if len(kept) >= severalSilences {
		odd = max(odd, 1)
	}
	longest := kept[len(kept)-1-odd]
	at, _ := slices.BinarySearch(renewed, longest-d.resolution)
	after := renewed[at:]
	briefer, _ := slices.BinarySearch(renewed, longest*4/5)
	if float64(briefer) > fewBriefer*float64(len(renewed)) {
		return nil
	}
	if longest < leastTicks*d.resolution || 2*len(after) < followers || len(after) < leastNear {
		return nil
	}
	shortest := max(after[int(outliers*float64(len(after)))], longest)
	from, _ := slices.BinarySearch(kept, longest/2)
	upTo, _ := slices.BinarySearch(after, 3*longest)
	if len(kept)-from < leastNear || upTo < leastNear || float64(upTo) < nearShare*float64(len(after)) ||
		shortest > 3*longest {
		return nil
	}
	return &Idle{LongestReusedS: float64(longest) / 1000, ShortestRenewedS: float64(shortest) / 1000,
		Connections: uint64(len(after)), Of: uint64(followers)}
}
