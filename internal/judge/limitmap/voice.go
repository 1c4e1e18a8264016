package limitmap

import (
	"cmp"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// Voice writes the sentences about a map in a language.
type Voice struct {
	In translations.Language
	Map
}

func (v Voice) say(p translations.Phrase, args ...any) string { return v.In.Say(p, args...) }

func count[N text.Integer](n N) string { return text.Count(n) }

// clients are the names of clients in a sentence.
var clients = map[facts.Client]translations.Phrase{
	facts.GoReplayable: "Go's pool",
	facts.GoOnce:       "Go's pool (bodies that can be read only once)",
	facts.GoSingleDial: "Go's pool (one dial at a time)",
}

// Client names a client in a sentence.
func (v Voice) Client(c facts.Client) string {
	if p, ok := clients[c]; ok {
		return v.say(p)
	}
	return "`" + string(c) + "`"
}

// Load names a line without its client.
func (v Voice) Load(l Line) string {
	s := v.say("%s in flight", count(l.InFlight))
	switch {
	case l.Arrivals != "": // InFlight is then the most that may be
		s = v.say("at a rate")
	case l.Pools > 1:
		s = v.say("%s in flight in %s pools", count(l.InFlight), count(l.Pools))
	}
	tls := "TLS " + cmp.Or(l.TLS, text.Unknown)
	if l.Protocol == facts.H1 {
		tls = "HTTP/1.1, " + tls
	}
	parts := []string{s, tls, strings.ToUpper(cmp.Or(l.Key, text.Unknown))}
	if l.Resume {
		parts = append(parts, v.say("resumed sessions"))
	}
	return v.In.List(parts)
}

// Distance names a distance.
func (v Voice) Distance(d facts.Distance) string {
	if !d.Any() {
		return v.say("no round trip")
	}
	s := v.say("a round trip of %s ms", text.Number(d.RTTMS))
	if d.JitterMS > 0 || d.LossPercent > 0 || d.MbitPerS > 0 {
		s += v.say(" (± %s ms, %s %% loss, %s Mbit/s)", text.Number(d.JitterMS), text.Number(d.LossPercent),
			count(d.MbitPerS))
	}
	return s
}

// Spot names a place on the map.
func (v Voice) Spot(s Spot) string {
	return v.say("a backend of %s ms and %s", count(s.BackendMS), v.Distance(s.Distance))
}

// less are the promises of a criterion.
var less = map[Criterion]translations.Phrase{
	Both:         "costs less than %s %% of goodput and adds less than %s %% to p99",
	GoodputAlone: "costs less than %s %% of goodput",
	P99Alone:     "adds less than %s %% to p99",
}

func (v Voice) less(by Criterion) string {
	lost, added := text.Number(LostShare*100), text.Number(AddedShare*100)
	switch by {
	case GoodputAlone:
		return v.say(less[by], lost)
	case P99Alone:
		return v.say(less[by], added)
	}
	return v.say(less[by], lost, added)
}

// more are the thresholds themselves.
func (v Voice) more(by Criterion) string {
	lost, added := text.Number(LostShare*100), text.Number(AddedShare*100)
	switch by {
	case GoodputAlone:
		return v.say("%s %% of goodput", lost)
	case P99Alone:
		return v.say("%s %% of p99", added)
	}
	return v.say("%s %% of goodput or %s %% of p99", lost, added)
}

// Sentence says from which places on a limit stops mattering, with what that rests on.
func (v Voice) Sentence(b Boundary) string {
	subject := v.say("With %s, limit %s %s", v.Client(b.Client), count(b.Limit), v.less(b.By))
	if b.Shape == NoData {
		return v.say("The run can't tell from where on limit %s stops mattering with %s: no place of its map has numbers "+
			"behind both limits.", count(b.Limit), v.Client(b.Client))
	}
	if b.Shape == Undecided {
		return v.say("The run can't tell from where on limit %s stops mattering with %s (%s): more than %s, but within noise, at "+
			"%s of %s places. Measure again on an idle machine, with more trials.", count(b.Limit), v.Client(b.Client),
			v.Load(b.Line), v.more(b.By), count(b.count(b.Costs, Unsure)), count(len(b.Costs)))
	}
	if b.Shape == Nowhere {
		return v.say("%s at no place of the map (%s).", subject, v.Load(b.Line))
	}
	return v.say("%s %s (%s)%s.", subject, v.where(b), v.Load(b.Line), v.rests(b))
}

func (v Voice) where(b Boundary) string {
	switch {
	case b.Shape == Everywhere:
		return v.say("at every place of the map")
	case b.Shape == FromBackend && len(b.Distances) == 1:
		return v.say("from a backend of %s ms on, with %s", count(b.BackendMS), v.Distance(b.Distances[0]))
	case b.Shape == FromDistance && len(b.Backends) == 1:
		return v.say("from a round trip of %s ms on, with a backend of %s ms", text.Number(b.RTTMS), count(b.Backends[0]))
	case b.Shape == FromBackend:
		return v.say("from a backend of %s ms on, whatever the distance", count(b.BackendMS))
	case b.Shape == FromDistance:
		return v.say("from a round trip of %s ms on, whatever the backend", text.Number(b.RTTMS))
	}
	return v.say("only %s", strings.Join(v.steps(b), v.say("; ")))
}

// steps are the parts of a boundary with stairs. Distances with the same step share a clause; those without a step
// have none, since the sentence says "only".
func (v Voice) steps(b Boundary) (out []string) {
	same := func(x, y *int) bool { return x == nil && y == nil || x != nil && y != nil && *x == *y }
	for i := 0; i < len(b.Steps); {
		var names []string
		from := b.Steps[i].BackendMS
		for ; i < len(b.Steps) && same(b.Steps[i].BackendMS, from); i++ {
			names = append(names, v.Distance(b.Steps[i].Distance))
		}
		if from != nil {
			out = append(out, v.say("from a backend of %s ms on, with %s", count(*from), strings.Join(names, v.say(" or "))))
		}
	}
	return out
}

// few is how many places a sentence names.
const few = 3

// rests says on how many places the sentence rests, and which of them can't tell.
func (v Voice) rests(b Boundary) string {
	s := v.say(": at %s of %s places", count(len(b.Those(Free))), count(len(b.Costs)))
	for _, k := range []struct {
		what Matter
		says translations.Phrase
	}{{Unsure, "; more than that, but within noise, with %s"}, {Unknown, "; without numbers with %s"}} {
		var names []string
		those := b.Those(k.what)
		for _, c := range those {
			if len(names) < few {
				names = append(names, v.Spot(c.Spot))
			}
		}
		if more := len(those) - len(names); more > 0 {
			names = append(names, v.say("%s more", count(more)))
		}
		if names != nil {
			s += v.say(k.says, v.In.List(names))
		}
	}
	n := 0
	for _, c := range b.Costs {
		if c.Source == Extrapolated {
			n++
		}
	}
	if n > 0 {
		s += v.say("; %s extrapolated from a lower limit", count(n))
	}
	return s
}

// Headline is the sentence about the base line at the run's limit. Where only one of goodput and p99 has a
// clear boundary, it says that one too.
func (v Voice) Headline() string {
	base, ok := v.Base()
	limits := v.Limits()
	if !ok || len(limits) == 0 {
		return v.say("This run has no place that was measured behind two limits, so it can't tell where a limit matters.")
	}
	limit := limits[0]
	for _, l := range limits {
		if l <= v.Result.Run.Limit {
			limit = l
		}
	}
	return strings.Join(v.About(base, limit), v.say(" "))
}

// grid is the fewest places of a line about which a sentence says where a limit stops mattering. The costs of a
// line with fewer places are listed.
const grid = 6

// Costs lists what a limit costs a line at each of its places.
func (v Voice) Costs(l Line, limit int) string {
	var parts []string
	for _, p := range v.Of(l) {
		c := v.Cost(p, limit)
		if c.Goodput == nil || c.P99 == nil {
			parts = append(parts, v.say("with %s nothing was measured", v.Spot(p.Spot)))
			continue
		}
		parts = append(parts, v.say("with %s it costs %s of goodput, and p99 is %s as high", v.Spot(p.Spot),
			v.ratio(c.Goodput, text.Decimals((1-c.Goodput.Value)*100, 0)+" %"),
			v.ratio(c.P99, text.Decimals(c.P99.Value, 2)+" ×")))
	}
	return v.say("Limit %s with %s (%s): %s.", count(limit), v.Client(l.Client), v.Load(l), strings.Join(parts, v.say("; ")))
}

func (v Voice) ratio(r *Ratio, s string) string {
	if !r.Told {
		return "~ " + s
	}
	return s
}

// About are the sentences about a line at a limit: for both criteria together, and apart where that is no
// plain boundary.
func (v Voice) About(l Line, limit int) []string {
	if base, _ := v.Base(); l != base && len(v.Of(l)) < grid {
		return []string{v.Costs(l, limit)}
	}
	both := v.Boundary(l, limit, Both)
	out := []string{v.Sentence(both)}
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
