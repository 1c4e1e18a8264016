package limitmap

import (
	"cmp"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

// Voice writes the sentences about a map.
type Voice struct{ Map }

func count[N text.Integer](n N) string { return text.Count(n) }

// clients are the names of clients in a sentence.
var clients = map[facts.Client]facts.Text{
	facts.GoReplayable: facts.T("limitmap.gos-pool"),
	facts.GoOnce:       facts.T("limitmap.gos-pool-bodies-can"),
	facts.GoSingleDial: facts.T("limitmap.gos-pool-one-dial"),
}

// Client names a client in a sentence.
func (v Voice) Client(c facts.Client) facts.Text {
	if p, ok := clients[c]; ok {
		return p
	}
	return facts.Verbatim("`" + string(c) + "`")
}

// Load names a line without its client.
func (v Voice) Load(l Line) facts.Text {
	s := facts.T("limitmap.flight", count(l.InFlight))
	switch {
	case l.Arrivals != "": // InFlight is then the most that may be
		s = facts.T("limitmap.rate")
	case l.Pools > 1:
		s = facts.T("limitmap.flight-pools", count(l.InFlight), count(l.Pools))
	}
	tls := "TLS " + cmp.Or(l.TLS, text.Unknown)
	if l.Protocol == facts.H1 {
		tls = "HTTP/1.1, " + tls
	}
	parts := []facts.Text{s, facts.Verbatim(tls), facts.Verbatim(strings.ToUpper(cmp.Or(l.Key, text.Unknown)))}
	if l.Resume {
		parts = append(parts, facts.T("limitmap.resumed-sessions"))
	}
	return facts.Join("join.list", parts...)
}

// Distance names a distance.
func (v Voice) Distance(d facts.Distance) facts.Text {
	if !d.Any() {
		return facts.T("limitmap.no-round-trip")
	}
	s := facts.T("limitmap.round-trip-ms", text.Number(d.RTTMS))
	if d.JitterMS > 0 || d.LossPercent > 0 || d.MbitPerS > 0 {
		s.Add(facts.T("limitmap.ms-percent-loss-mbit", text.Number(d.JitterMS), text.Number(d.LossPercent),
			count(d.MbitPerS)))
	}
	return s
}

// Spot names a place on the map.
func (v Voice) Spot(s Spot) facts.Text {
	return facts.T("limitmap.backend-ms", count(s.BackendMS), v.Distance(s.Distance))
}

// thresholds are the promise of a criterion (less) and its thresholds (more).
func (v Voice) thresholds(by Criterion) (less, more facts.Text) {
	lost, added := text.Number(LostShare*100), text.Number(AddedShare*100)
	switch by {
	case GoodputAlone:
		return facts.T("limitmap.costs-less-than-percent-goodput", lost), facts.T("limitmap.percent-goodput", lost)
	case P99Alone:
		return facts.T("limitmap.adds-less-than-percent", added), facts.T("limitmap.percent-p99", added)
	}
	return facts.T("limitmap.costs-less-than-percent", lost, added), facts.T("limitmap.percent-goodput-or-percent", lost, added)
}

// Sentence says from which places on a limit stops mattering, with what that rests on.
func (v Voice) Sentence(b Boundary) facts.Text {
	less, more := v.thresholds(b.By)
	subject := facts.T("limitmap.limit", v.Client(b.Client), count(b.Limit), less)
	if b.Shape == NoData {
		return facts.T("limitmap.run-cant-tell-where", count(b.Limit), v.Client(b.Client))
	}
	if b.Shape == Undecided {
		return facts.T("limitmap.run-cant-tell-where-limit", count(b.Limit), v.Client(b.Client),
			v.Load(b.Line), more, count(b.count(b.Costs, Unsure)), count(len(b.Costs)))
	}
	if b.Shape == Nowhere {
		return facts.T("limitmap.no-place-map", subject, v.Load(b.Line))
	}
	return facts.T("limitmap.where", subject, v.where(b), v.Load(b.Line), v.rests(b))
}

func (v Voice) where(b Boundary) facts.Text {
	switch {
	case b.Shape == Everywhere:
		return facts.T("limitmap.every-place-map")
	case b.Shape == FromBackend && len(b.Distances) == 1:
		return facts.T("limitmap.from-backend-with", count(b.BackendMS), v.Distance(b.Distances[0]))
	case b.Shape == FromDistance && len(b.Backends) == 1:
		return facts.T("limitmap.round-trip-ms-backend", text.Number(b.RTTMS), count(b.Backends[0]))
	case b.Shape == FromBackend:
		return facts.T("limitmap.backend-ms-whatever-distance", count(b.BackendMS))
	case b.Shape == FromDistance:
		return facts.T("limitmap.round-trip-ms-whatever", text.Number(b.RTTMS))
	}
	return facts.T("limitmap.only", facts.Join("join.semicolon", v.steps(b)...))
}

// steps are the parts of a boundary with stairs. Distances with the same step share a clause; those without a step
// have none, since the sentence says "only".
func (v Voice) steps(b Boundary) (out []facts.Text) {
	same := func(x, y *int) bool { return x == nil && y == nil || x != nil && y != nil && *x == *y }
	for i := 0; i < len(b.Steps); {
		var names []facts.Text
		from := b.Steps[i].BackendMS
		for ; i < len(b.Steps) && same(b.Steps[i].BackendMS, from); i++ {
			names = append(names, v.Distance(b.Steps[i].Distance))
		}
		if from != nil {
			out = append(out, facts.T("limitmap.from-backend-with", count(*from), facts.Join("limitmap.or", names...)))
		}
	}
	return out
}

// few is how many places a sentence names.
const few = 3

// rests says on how many places the sentence rests, and which of them can't tell.
func (v Voice) rests(b Boundary) facts.Text {
	s := facts.T("limitmap.places", count(len(b.Those(Free))), count(len(b.Costs)))
	for _, k := range []struct {
		what Matter
		key  string
	}{{Unsure, "limitmap.more-than-but-within"}, {Unknown, "limitmap.without-numbers"}} {
		var names []facts.Text
		those := b.Those(k.what)
		for _, c := range those {
			if len(names) < few {
				names = append(names, v.Spot(c.Spot))
			}
		}
		if more := len(those) - len(names); more > 0 {
			names = append(names, facts.T("limitmap.more", count(more)))
		}
		if names != nil {
			s.Add(facts.T(k.key, facts.Join("join.list", names...)))
		}
	}
	n := 0
	for _, c := range b.Costs {
		if c.Source == Extrapolated {
			n++
		}
	}
	if n > 0 {
		s.Add(facts.T("limitmap.extrapolated-lower-limit", count(n)))
	}
	return s
}

// Headline is the sentence about the base line at the run's limit. Where only one of goodput and p99 has a
// clear boundary, it says that one too.
func (v Voice) Headline() facts.Text {
	base, ok := v.Base()
	limits := v.Limits()
	if !ok || len(limits) == 0 {
		return facts.T("limitmap.run-no-place-measured")
	}
	limit := limits[0]
	for _, l := range limits {
		if l <= v.Result.Run.Limit {
			limit = l
		}
	}
	return facts.Join("join.sentences", v.About(base, limit)...)
}

// grid is the fewest places of a line about which a sentence says where a limit stops mattering. The costs of a
// line with fewer places are listed.
const grid = 6

// Costs lists what a limit costs a line at each of its places.
func (v Voice) Costs(l Line, limit int) facts.Text {
	var parts []facts.Text
	for _, p := range v.Of(l) {
		c := v.Cost(p, limit)
		if c.Goodput == nil || c.P99 == nil {
			parts = append(parts, facts.T("limitmap.nothing-measured", v.Spot(p.Spot)))
			continue
		}
		parts = append(parts, facts.T("limitmap.costs-goodput-p99-as", v.Spot(p.Spot),
			v.ratio(c.Goodput, text.Decimals((1-c.Goodput.Value)*100, 0)+" %"),
			v.ratio(c.P99, text.Decimals(c.P99.Value, 2)+" ×")))
	}
	return facts.T("limitmap.costs", count(limit), v.Client(l.Client), v.Load(l), facts.Join("join.semicolon", parts...))
}

func (v Voice) ratio(r *Ratio, s string) string {
	if !r.Told {
		return "~ " + s
	}
	return s
}

// About are the sentences about a line at a limit: for both criteria together, and apart where that is no
// plain boundary.
func (v Voice) About(l Line, limit int) []facts.Text {
	if base, _ := v.Base(); l != base && len(v.Of(l)) < grid {
		return []facts.Text{v.Costs(l, limit)}
	}
	both := v.Boundary(l, limit, Both)
	out := []facts.Text{v.Sentence(both)}
	if both.Shape < Stairs {
		return out
	}
	for _, by := range []Criterion{GoodputAlone, P99Alone} {
		if b := v.Boundary(l, limit, by); b.Shape != both.Shape && b.Shape != NoData {
			out = append(out, v.Sentence(b))
		}
	}
	return out
}
