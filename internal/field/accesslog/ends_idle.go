package accesslog

import "slices"

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
