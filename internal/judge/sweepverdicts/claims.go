package sweepverdicts

import (
	"slices"

	"h2lab/internal/facts"
)

// Claim is a published statement that is no ratio, beside what this run shows.
type Claim struct {
	ID        string
	Published facts.Text
	Here      facts.Text
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

func claim(id string, published facts.Text) Claim {
	return Claim{ID: id, Published: published, Status: facts.Inconclusive, Here: facts.T("sweepverdict.not-measured")}
}

func (v Voice) refuses() Claim {
	c := claim("callers-webclient-refuses", facts.T("sweepverdict.webclient-200-connections-1", pendingLimit, count(refusedFrom)))
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
			c.Status, c.Here = facts.Reproduced, facts.T("sweepverdict.users-requests-failed", count(p.Users),
				count(failed), count(attempts))
			return c
		}
	}
	if most >= refusedFrom {
		c.Status = facts.NotReproduced
	}
	if most > 0 {
		c.Here = facts.T("sweepverdict.not-up-users", count(most))
	}
	return c
}

func (v Voice) blockingFails() Claim {
	c := claim("burst-mvc-fails", facts.T("sweepverdict.wait-1-000-ms"))
	mvc, _ := v.at(at(10000, 1000, serverSync))
	netty, _ := v.at(at(10000, 1000, mono, flux))
	if mvc == nil || netty == nil {
		return c
	}
	c.cells = []*facts.Cell{mvc, netty}
	a, all := Failures(mvc)
	b, sent := Failures(netty)
	c.Here = facts.T("sweepverdict.spring-mvc-failed-requests", count(a), count(all), count(b), count(sent))
	switch {
	case a > 0 && b == 0:
		c.Status = facts.Reproduced
	case a == 0:
		c.Status = facts.NotReproduced
	}
	return c
}

func (v Voice) crosses() Claim {
	c := claim("low-latency-crossing", facts.T("sweepverdict.blocking-ahead-below-10"))
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
