package storyverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// incident: through the reverse proxy the users get less and wait longer than from the gateway alone.
func incident(f storyFacts) core.Finding {
	low, cut := f.two(f.Incident(), f.Cut())
	u, d := compareUsers(low, cut), damageOf(low)
	a := core.Finding{
		Status:   facts.Reproduced,
		Expected: facts.T("storyverdict.goodput-significantly-lower-p99", cut.ID(), twice),
		Actual:   facts.Join("join.semicolon", f.account(low, cut, u), d.account()),
		Next:     facts.T("storyverdict.look-proxys-limit-h2lab"),
		Evidence: f.Evidence(append(userPlaces(low, cut), d.places()...)...),
		Warnings: f.warnings(u.goodput, u.p99),
	}
	switch {
	case u.goodput.Ratio == nil || u.p99.Ratio == nil:
		a.Status, a.Next = facts.Inconclusive, facts.T("storyverdict.look-failures-these-cells")
	case d.renewals() == 0 && !d.any():
		a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.raise-duration-or-lower")
		a.Actual.Add(facts.T("storyverdict.no-connection-reached-limit"))
	case u.worse() && d.any():
	case u.better() && !u.either(), !d.any() && u.decidable() && !u.either():
		a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.compare-versions-nginx-service")
	default:
		a = a.Inconclusive(facts.T("storyverdict.not-all-beyond-noise"), facts.T("verdict.raise-trials-or-duration-idle"))
	}
	return a
}

// pool: a pool of 100 connections instead of 5 doesn't help.
func pool(f storyFacts) core.Finding {
	large, small := f.two(f.Pool(), f.Incident())
	u, d := compareUsers(large, small), damageOf(large)
	a := core.Finding{
		Status:   facts.Reproduced,
		Expected: facts.T("storyverdict.no-significantly-higher-goodput"),
		Actual:   facts.Join("join.semicolon", f.account(large, small, u), d.account()),
		Next:     facts.T("storyverdict.leave-pool-as"),
		Evidence: f.Evidence(append(userPlaces(large, small), d.places()...)...),
		Warnings: f.warnings(u.goodput, u.p99),
	}
	switch {
	case more(u.goodput) && less(u.p99): // one of two tests at 5 % is too often wrong to contradict the rule
		a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.compare-pools-settings-results")
	case u.better() || !d.any() || !u.decidable() || f.onlySmallIsWorse(large, small):
		a.Status, a.Next = facts.Inconclusive, facts.T("verdict.raise-trials-or-duration-idle")
	}
	return a
}

// onlySmallIsWorse reports whether the incident is worse than the gateway alone beyond noise, and the large pool isn't:
// then the two pools may differ, though a direct comparison doesn't show it.
func (f storyFacts) onlySmallIsWorse(large, small core.Found) bool {
	cut, lacks := f.maybe(f.Cut())
	return lacks == nil && compareUsers(small, cut).worse() && !compareUsers(large, cut).either()
}

// most is the share of the users' added wait from which a suspect is its main cause: more than half, as the word says.
const most = 0.5

func api(f storyFacts) core.Finding { return suspect(f, APIP99) }
func row(f storyFacts) core.Finding { return suspect(f, RowP99) }

// suspect: something inside the chain, measured on its own, is not what the users wait for.
func suspect(f storyFacts, of func(facts.Trial) *float64) core.Finding {
	low, cut := f.two(f.Incident(), f.Cut())
	own, before := core.Middle(low.Cell, of), core.Middle(cut.Cell, of)
	users, usersBefore := core.Middle(low.Cell, P99), core.Middle(cut.Cell, P99)
	if own == nil || before == nil || users == nil || usersBefore == nil {
		core.Lack(core.Finding{Actual: facts.T("storyverdict.cells-no-such-times", low.ID(), cut.ID()),
			Next: facts.T("verdict.measure-run-command-again")})
	}
	wait := Compare(low.Cell, cut.Cell, P99)
	ms := text.Measured
	a := core.Finding{
		Status:   facts.Reproduced,
		Expected: facts.T("storyverdict.less-than-percent-what", core.Fixed(most*100, 0), cut.ID(), low.ID()),
		Actual: facts.T("storyverdict.p99-ms-ms-users", ms(*own), ms(*before),
			cut.ID(), ms(*users), ms(*usersBefore), core.Ratio(wait)),
		Next:     facts.T("storyverdict.look-between-two-connections"),
		Evidence: f.Evidence(userPlaces(low, cut)...),
		Warnings: f.warnings(wait),
	}
	rise, part := *users-*usersBefore, max(0, *own-*before)
	switch {
	case !more(wait):
		a = a.Inconclusive(facts.T("storyverdict.users-p99-doesnt-rise"), facts.T("verdict.raise-trials-or-duration-idle"))
	case part >= most*rise:
		a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.look-processor-time-cell")
		a.Actual.Add(facts.T("storyverdict.explains-percent-rise", text.Whole(100*part/rise)))
	default:
		a.Actual.Add(facts.T("storyverdict.explains-percent-rise", text.Whole(100*part/rise)))
	}
	return a
}

// proxy: the limit of the reverse proxy is the cause.
func proxy(f storyFacts) core.Finding {
	low, cut := f.two(f.Incident(), f.Cut())
	d, without := damageOf(low), damageOf(cut)
	a := core.Finding{
		Status:   facts.Reproduced,
		Expected: facts.T("storyverdict.failures-repeated-requests-or", twice, low.ID()),
		Actual:   facts.T("storyverdict.two-places", low.ID(), d.account(), cut.ID(), without.account()),
		Next:     facts.T("storyverdict.change-proxys-limit-first"),
		Evidence: f.Evidence(append(d.places(), without.places()...)...),
		Warnings: f.FewTrials(),
	}
	others := f.others()
	for _, o := range others {
		a.Actual.Add(facts.T("verdict.beside", o.ID(), o.account()))
		a.Evidence = append(a.Evidence, f.Evidence(o.places()...)...)
	}
	switch {
	case d.any() && !d.known(), !without.known():
		a.Status, a.Next = facts.Inconclusive, facts.T("storyverdict.look-warnings-these-trials")
	case !d.any():
		a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.raise-duration-or-lower")
		a.Actual.Add(facts.T("storyverdict.proxy-limit-does-none"))
	case without.left(d) || allLeft(others, d):
		a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.look-failures-other-cells")
	}
	return a
}

// others are the same chain with another limit and with another proxy, as far as they were measured.
func (f storyFacts) others() (out []damage) {
	for _, topology := range []string{f.High, f.Other} {
		if c, lacks := f.maybe(Place{topology, facts.H2, OkHttp3}); lacks == nil {
			out = append(out, damageOf(c))
		}
	}
	return out
}

// allLeft reports whether every other chain does the damage too.
func allLeft(others []damage, d damage) bool {
	for _, o := range others {
		if !o.left(d) {
			return false
		}
	}
	return len(others) > 0
}

// retry: with the client's retry some POSTs run twice; without it calls fail.
func retry(f storyFacts) core.Finding {
	with, without := f.two(f.Incident(), f.NoRetry())
	on, off := damageOf(with), damageOf(without)
	a := core.Finding{
		Status:   facts.Reproduced,
		Expected: facts.T("storyverdict.repeated-requests-retry-failed"),
		Actual:   facts.T("storyverdict.retry-without", on.account(), off.account()),
		Next:     facts.T("storyverdict.give-each-post-key"),
		Evidence: f.Evidence(append(on.places(), off.places()...)...),
		Warnings: f.FewTrials(),
	}
	switch twiceOn, failsOff := on.again() > 0, off.Failed > 0; {
	case on.Duplicates == nil:
		a.Status, a.Next = facts.Inconclusive, facts.T("verdict.look-backends-ledger-ids")
	case !twiceOn && !failsOff:
		a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.raise-duration-or-lower")
	case !twiceOn:
		a.Status, a.Actual = facts.Inconclusive, facts.Join("", a.Actual, facts.T("storyverdict.only-failures-appeared"))
	case !failsOff:
		a.Status, a.Actual = facts.Inconclusive, facts.Join("", a.Actual, facts.T("storyverdict.only-repeated-requests-appeared"))
	}
	return a
}

// cure: the incident without its damage, after one change.
func cure(f storyFacts, c Cure) core.Finding {
	after, before := f.two(c.After, c.Before)
	u, d, was := compareUsers(after, before), damageOf(after), damageOf(before)
	a := core.Finding{
		Status:   facts.Fixed,
		Expected: facts.T("storyverdict.less-than-tenth-failures", before.ID()),
		Actual:   facts.Join("join.semicolon", f.account(after, before, u), d.account()),
		Evidence: f.Evidence(append(append(userPlaces(after, before), d.places()...), was.places()...)...),
		Warnings: f.warnings(u.goodput, u.p99),
	}
	switch {
	case !was.any():
		a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.raise-duration-or-lower")
		a.Actual.Add(facts.T("verdict.nothing-cure", was.account()))
	case d.left(was):
		a.Status, a.Next = facts.Reproduced, facts.T("storyverdict.look-failures-connections-cell")
	case !d.known() || d.Attempts == 0:
		a.Status, a.Next = facts.Inconclusive, facts.T("storyverdict.look-warnings-these-trials")
	case f.costs(before) && !u.better():
		a = a.Inconclusive(facts.T("storyverdict.damage-gone-but-users"), facts.T("verdict.raise-trials-or-duration-idle"))
	case !f.costs(before):
		a.Warnings = append(a.Warnings, facts.T("storyverdict.run-incident-costs-users"))
	}
	return a
}

// costs reports whether the incident costs its users goodput or latency beyond noise.
func (f storyFacts) costs(before core.Found) bool {
	cut, lacks := f.maybe(f.Cut())
	return lacks == nil && compareUsers(before, cut).either()
}
