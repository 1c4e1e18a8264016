package sweepverdicts

import (
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// Claim is a published statement that is no ratio, beside what this run shows.
type Claim struct {
	ID        string
	Published string
	Here      string
	Status    facts.Status
	cells     []*facts.Cell
}

const pendingLimit = "PoolAcquirePendingLimitException"

// refusedFrom is the published number of users from which on WebClient refuses requests.
const refusedFrom = 1600

// Claims compares the sweep's published statements.
func (v Voice) Claims() []Claim {
	switch v.Sweep {
	case &Callers:
		return []Claim{v.refuses()}
	case &Burst:
		return []Claim{v.blockingFails()}
	case &LowLatency:
		return []Claim{v.crosses()}
	}
	return nil
}

func (v Voice) claim(id string, published translations.Phrase, args ...any) Claim {
	return Claim{ID: id, Published: v.say(published, args...), Status: facts.Inconclusive, Here: v.say("not measured")}
}

func (v Voice) refuses() Claim {
	c := v.claim("callers-webclient-refuses", "WebClient with 200 connections and 1,000 pending requests fails with `%s` "+
		"from %s users on", pendingLimit, count(refusedFrom))
	l := v.first([]facts.Client{webClient})
	if l == nil {
		return c
	}
	most := 0
	for _, p := range v.Places(Direct) {
		cell := v.Measured(Direct, *l, p)
		if cell == nil {
			continue
		}
		most, c.cells = p.Users, []*facts.Cell{cell}
		if i := slices.IndexFunc(Errors(cell), func(n Named) bool { return n.Name == pendingLimit }); i >= 0 {
			failed, attempts := Failures(cell)
			c.Status, c.Here = facts.Reproduced, v.say("from %s users on: %s of %s requests failed there",
				count(p.Users), count(failed), count(attempts))
			return c
		}
	}
	if most >= refusedFrom {
		c.Status = facts.NotReproduced
	}
	if most > 0 {
		c.Here = v.say("not up to %s users", count(most))
	}
	return c
}

func (v Voice) blockingFails() Claim {
	c := v.claim("burst-mvc-fails", "with a wait of 1,000 ms Spring MVC fails and WebFlux doesn't")
	mvc, _ := v.at(at(10000, 1000, serverSync))
	netty, _ := v.at(at(10000, 1000, mono, flux))
	if mvc == nil || netty == nil {
		return c
	}
	c.cells = []*facts.Cell{mvc, netty}
	a, all := Failures(mvc)
	b, sent := Failures(netty)
	c.Here = v.say("Spring MVC failed %s of %s requests, WebFlux %s of %s", count(a), count(all), count(b), count(sent))
	switch {
	case a > 0 && b == 0:
		c.Status = facts.Reproduced
	case a == 0:
		c.Status = facts.NotReproduced
	}
	return c
}

func (v Voice) crosses() Claim {
	c := v.claim("low-latency-crossing", "blocking is ahead below 10 ms, WebFlux above")
	x := v.Cross()
	if x == nil {
		return c
	}
	c.Here, c.cells = v.crossing(*x), v.measuredAt(Direct)[:1]
	switch {
	case !x.Told:
	case x.DelayMS != nil && len(x.Before.Ratios) > 0 && x.After.Lower():
		c.Status = facts.Reproduced
	case x.DelayMS == nil, len(x.Before.Ratios) == 0:
		c.Status = facts.NotReproduced
	}
	return c
}
