package accesslog

import (
	"cmp"
	"math"
	"slices"
)

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
