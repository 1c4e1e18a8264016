package runverdicts

import (
	"cmp"
	"fmt"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const (
	// stampedes is the number of accepted connections per expected one from which the report calls it a
	// stampede. A client that dials once per renewal has 1.0, one that needs a second connection for
	// its streams at most 2, and the mildest stampede measured, with 10 requests in flight, 9.4 (189
	// connections for 20). 5 lies between.
	stampedes = 5
	// usedSlack is the ratio of used to expected connections that still counts as used as expected: several
	// dials of one renewal may finish at almost the same time and all carry requests.
	usedSlack = 1.5
	// allowance is how many connections a warm pool may open in a window beyond those that its requests
	// need: a few connections are lost for other reasons. The value is a choice of the lab.
	allowance = 5
	// coldTimes is how many connections per request in flight a cold start may open: the cold stampede
	// dials once per request, and up to twice more if the first connections are picked up late. The
	// value is a choice of the lab.
	coldTimes = 3
	// rarer is the largest share of the low limit's dials or losses per request that a cured topology
	// may have if its high limit was reached and a renewal happened. A limit 100 times as high leaves a
	// hundredth; a tenth allows for LIMIT=10000.
	rarer = 0.1
	// nearlyAllUsed is the ratio of accepted to used connections up to which a client shows no waste.
	// It uses used and not Expected: with one connection per VU the pool's arithmetic expects no
	// renewal, but each VU renews its own connection when it reaches the limit.
	nearlyAllUsed = 1.5
	// unseen: a client's own metrics miss most connections if they report less than this share of the
	// accepted ones.
	unseen = 0.5
	// asExpected is the tolerance between expected and accepted connections. edges is the number of
	// connections that a pool may differ by in any case: one that began in the warm-up and one that the
	// window began but didn't finish.
	asExpected = 0.1
	edges      = 2
)

// dialStampede: at every renewal, each waiting request dials its own connection; with a topology that cures it: not there.
func dialStampede(f runFacts) finding {
	l := f.lowPool()
	a := finding{
		Status:   facts.Reproduced,
		Expected: facts.T("verdict.accepted-least-expected-while", stampedes, core.Fixed(usedSlack, 1)),
		Actual:   l.account(),
		Next:     facts.T("verdict.raise-keepalive-requests-server"),
		Evidence: f.Evidence(append(l.places(), l.See("/summary/waste")...)...),
		Warnings: append(f.FewTrials(l.Summary.Accepted), mildTrials(l)...),
	}
	if l.stampede() {
		return a
	}
	return a.NotShown("verdict.because", l.whyNone)
}

// mildTrials warns of trials below the threshold if the median is above it.
func mildTrials(l ledger) []facts.Text {
	mild := 0
	for _, t := range l.Trials {
		if a, e := t.Connections.Accepted, t.Connections.Expected; a != nil && e != nil && *a < stampedes**e {
			mild++
		}
	}
	if mild == 0 || !l.stampede() {
		return nil
	}
	return []facts.Text{facts.T("verdict.trials-stayed-below-expected", mild, len(l.Trials), stampedes)}
}

func stampedeGone(f runFacts, topology string) finding {
	l := f.connections(topology, facts.K6SharedPool)
	// A renewal that did happen may cost one batch of dials.
	allowed := allowance + l.expected*float64(1+l.InFlight())
	a := finding{
		Status:   facts.Fixed,
		Expected: facts.T("verdict.accepted-window-expected-plus", allowance),
		Actual:   l.account(),
		Evidence: f.Evidence(append(l.places(), l.See("/summary/cold_accepted/median")...)...),
		Warnings: append(f.FewTrials(l.Summary.Accepted), restless(l)...),
	}
	if cold, ok := core.Known(l.Summary.ColdAccepted); ok {
		a.Actual.Add(facts.T("verdict.cold-start-took", core.Count(cold)))
	}
	before, noBefore := core.Try(f.lowPool)
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()[0], before.places()[2])...)
		a.Actual.Add(facts.T("verdict.had", before.Topology, before.account()))
	}
	switch {
	case l.accepted > allowed, l.stampede() && (noBefore != nil || l.perRequest() > rarer*before.perRequest()):
		a.Status, a.Next = facts.Reproduced, facts.T("verdict.look-timeline-bursts-compare")
	case noBefore != nil:
		a.Warnings = append(a.Warnings, facts.T("verdict.nothing-compare", noBefore.Actual))
	case !before.stampede():
		return a.NotShown("verdict.so-run-no-stampede", before.whyNone)
	}
	return a
}

// restless warns of what the median hides: a trial with a renewal, a trial above allowance, a cold start
// that is too large.
func restless(l ledger) []facts.Text {
	var out, renewed []facts.Text
	for i, t := range l.Trials {
		a, e := t.Connections.Accepted, t.Connections.Expected
		switch {
		case a == nil || e == nil:
		case *e > 0 && *a > allowance+*e:
			renewed = append(renewed, facts.T("verdict.trial", i+1, core.Things(*a, core.Connections)))
		case *a > allowance+*e:
			out = append(out, facts.T("verdict.trial-accepted-without-renewal", i+1, core.Things(*a, core.Connections)))
		}
	}
	if renewed != nil {
		out = append(out, facts.T("verdict.connections-reached-high-limit", facts.Join("join.list", renewed...)))
	}
	if cold, ok := core.Known(l.Summary.ColdAccepted); ok && cold > float64(coldTimes*l.Workload.Concurrency) {
		out = append(out, facts.T("verdict.cold-start-took-more", core.Things(cold, core.Connections), coldTimes, l.Workload.Concurrency))
	}
	return out
}

// hiddenByConnectionPerVU: the usual k6 script, with one connection for each VU, hides the stampede.
func hiddenByConnectionPerVU(f runFacts) finding {
	shared := f.lowPool()
	perVU := f.connections(f.low(), facts.K6ConnectionPerVU)
	a := finding{
		Status:   facts.Reproduced,
		Expected: facts.T("verdict.accepted-used-connection-each", core.Fixed(nearlyAllUsed, 1)),
		Actual: facts.T("verdict.connection-each-vu-accepted", core.Things(perVU.accepted, core.Connections),
			core.Count(perVU.used), core.Count(shared.accepted), core.Count(shared.used)),
		Next:     facts.T("verdict.test-requests-share-pool"),
		Evidence: f.Evidence(append(perVU.places(), shared.places()...)...),
		Warnings: f.FewTrials(perVU.Summary.Accepted, shared.Summary.Accepted),
	}
	switch {
	case !shared.stampede():
		return a.NotShown("verdict.no-stampede-hide", shared.whyNone)
	case perVU.perUsed() > nearlyAllUsed:
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.look-failures-lost-connections")
		a.Actual.Add(facts.T("verdict.usual-script-shows-waste"))
	default:
		hidden := max(perVU.perUsed(), 1)
		a.Actual.Add(facts.T("verdict.opened-each-used-against", text.Factor(hidden), text.Factor(shared.perUsed()),
			text.Factor(shared.perUsed()/hidden)))
	}
	return a
}

// clientUndercount: k6's metrics miss most of the connections that it opens.
func clientUndercount(f runFacts) finding {
	l := f.lowPool()
	var reported, accepted float64
	for _, t := range l.Trials {
		if t.Connections.ClientReported == nil || t.Connections.Accepted == nil {
			return finding{Status: facts.Inconclusive, Actual: facts.T("verdict.k6-did-not-report", t.Index),
				Next: facts.T("verdict.look-trials-warnings"), Evidence: f.Evidence(l.See("/trials/0/connections")...)}
		}
		reported += float64(*t.Connections.ClientReported)
		accepted += float64(*t.Connections.Accepted)
	}
	a := finding{
		Status:   facts.Reproduced,
		Expected: facts.T("verdict.less-than-percent-accepted", core.Fixed(unseen*100, 0)),
		Next:     facts.T("verdict.count-connections-server-stub"),
		Evidence: f.Evidence(l.See("/trials/0/connections/client_reported", "/trials/0/connections/accepted")...),
		Warnings: f.FewTrials(),
	}
	if accepted == 0 {
		a.Status, a.Actual = facts.NotReproduced, facts.T("verdict.no-connection-opened-window")
		_, a.Next = l.whyNone()
		return a
	}
	a.Actual = facts.T("verdict.k6-reported-percent", core.Count(reported), core.Things(accepted, core.Connections),
		core.Fixed(100*reported/accepted, 1))
	if reported >= unseen*accepted {
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.without-stampede-k6-counts")
	}
	return a
}

// singleDialCures: a client that dials once at a time has no stampede at the low limit.
func singleDialCures(f runFacts) finding {
	l := f.connections(f.low(), facts.GoSingleDial)
	off := max(asExpected*l.expected, edges*float64(max(l.Workload.Pools, 1)))
	a := finding{
		Status:   facts.Fixed,
		Expected: facts.T("verdict.accepted-within-percent-or", core.Fixed(asExpected*100, 0), edges),
		Actual:   facts.T("verdict.one-dial-time", l.account()),
		Evidence: f.Evidence(l.places()...),
		Warnings: f.FewTrials(l.Summary.Accepted),
	}
	before, name := f.careless()
	if before != nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()...)...)
		a.Actual.Add(facts.T("verdict.beside", string(name), before.account()))
	}
	switch {
	case l.expected < 1 || before != nil && !before.stampede():
		return a.NotShown("verdict.nothing-cure", cmp.Or(before, &l).whyNone)
	case l.accepted-l.expected > off:
		a.Status, a.Next = facts.Reproduced, facts.T("verdict.look-failures-cell-lost")
	case l.expected-l.accepted > off:
		return a.Inconclusive(facts.T("verdict.fewer-than-limit-requires"), facts.T("verdict.look-limit-effect"))
	case before == nil:
		a.Warnings = append(a.Warnings, facts.T("verdict.nothing-compare-run-did"))
	}
	return a
}

// careless returns the stampede at the low limit that a client's cure is compared with: that of the
// same client without the cure, or else k6's.
func (f runFacts) careless() (*ledger, facts.Client) {
	for _, c := range []facts.Client{facts.GoReplayable, facts.K6SharedPool} {
		if l, lacks := core.Try(func() ledger { return f.connections(f.low(), c) }); lacks == nil {
			return &l, c
		}
	}
	return nil, ""
}

// envoyTwoStage: Envoy's two-stage GOAWAY at the same low limit still costs connections or requests.
func envoyTwoStage(f runFacts) finding {
	topology := fmt.Sprintf("envoy-%d", f.Result.Run.Limit)
	l := f.connections(topology, facts.K6SharedPool)
	once := f.losses(topology, facts.GoOnce)
	a := finding{
		Status:   facts.Reproduced,
		Expected: facts.T("verdict.stampede-accepted-least-expected", stampedes),
		Evidence: f.Evidence(append(l.places(), once.places()...)...),
		Warnings: f.FewTrials(l.Summary.Accepted, once.Summary.Failed),
	}
	switch stampede, loss := l.stampede(), once.lost > 0; {
	case stampede && loss:
		a.Actual = facts.T("verdict.stampede-loss-both-remain")
	case stampede:
		a.Actual, a.Next = facts.T("verdict.no-request-lost-but"), facts.T("verdict.raise-or-drop-max")
	case loss:
		a.Actual = facts.T("verdict.no-stampede-but-requests")
	case l.expected < 1:
		_, a.Next = l.whyNone()
		a.Status, a.Actual = facts.NotReproduced, facts.T("verdict.no-connection-reached-limit")
	default:
		a.Status, a.Actual = facts.NotReproduced, facts.T("verdict.neither-stampede-nor-loss")
	}
	a.Actual.Add(facts.T("verdict.go-once", l.account(), once.account()))
	return a
}

// ledger holds a cell's connections in the window, medians over its trials.
type ledger struct {
	found
	accepted, used, expected float64
}

// lowPool is the ledger of the shared pool at the low limit.
func (f runFacts) lowPool() ledger { return f.connections(f.low(), facts.K6SharedPool) }

// connections reads the ledger of an h2 cell, or says which column is unknown.
func (f runFacts) connections(topology string, c facts.Client) ledger {
	l := ledger{found: f.Cell(topology, facts.H2, c)}
	var unknown []string
	for _, column := range []struct {
		name string
		from facts.Estimate
		to   *float64
	}{
		{"accepted", l.Summary.Accepted, &l.accepted},
		{"used", l.Summary.Used, &l.used},
		{"expected", l.Summary.Expected, &l.expected},
	} {
		v, ok := core.Known(column.from)
		if !ok {
			unknown = append(unknown, column.name)
		}
		*column.to = v
	}
	if unknown != nil {
		core.Lack(finding{Evidence: f.Evidence(l.See("/trials/0/connections")...),
			Actual: facts.T("verdict.cell-no-count-connections", l.ID(), core.List(unknown))})
	}
	return l
}

// perExpected is the number of accepted connections per expected one. Without expected connections there
// is no such number.
func (l ledger) perExpected() float64 {
	if l.expected < 1 {
		return 0
	}
	return l.accepted / l.expected
}

// perRequest is the number of connections that the front accepted per request.
func (l ledger) perRequest() float64 {
	return l.accepted / max(float64(core.Total(l.Trials).Attempts)/float64(len(l.Trials)), 1)
}

// perUsed is the number of accepted connections per used one.
func (l ledger) perUsed() float64 { return l.accepted / max(l.used, 1) }

func (l ledger) stampede() bool { return l.perExpected() >= stampedes && l.wastes() }

// wastes is false if the client used the connections that it opened. The last connection of each
// pool is only partly filled at the end of the window, so each pool uses one more than the requests
// fill.
func (l ledger) wastes() bool {
	return l.used <= usedSlack*l.expected+float64(max(l.Workload.Pools, 1))
}

// account describes the ledger.
func (l ledger) account() facts.Text {
	said := facts.T("verdict.accepted-where-expected-them", core.Things(l.accepted, core.Connections),
		text.Seconds(l.Workload.DurationS), l.expectedWere(), core.Count(l.used))
	if l.expected >= 1 {
		said.Add(facts.T("verdict.expected", text.Factor(l.perExpected())))
		if l.Summary.Waste != nil {
			said.Add(facts.T("verdict.percent-waste", core.Fixed(*l.Summary.Waste*100, 0)))
		}
		said.Add(facts.T("verdict.text"))
	}
	return said
}

func (l ledger) expectedWere() facts.Text {
	if l.expected == 1 {
		return facts.T("verdict.was", "1")
	}
	return facts.T("verdict.were", core.Count(l.expected))
}

// places returns the evidence of a ledger.
func (l ledger) places() []string {
	return l.See("/summary/accepted/median", "/summary/used/median", "/summary/expected/median")
}

// mostInFlight is the largest number of requests in flight that the trials of an open loop had.
func (l ledger) mostInFlight() string {
	var most *float64
	for _, t := range l.Trials {
		if t.Schedule != nil && (most == nil || float64(t.Schedule.InFlight) > *most) {
			most = core.Number(&t.Schedule.InFlight)
		}
	}
	return text.Maybe(most, core.Count)
}

// whyNone is the likely reason that a limited cell shows no stampede, and the step that would show
// one.
func (l ledger) whyNone() (reason, next facts.Text) {
	switch n := l.InFlight(); {
	case n == 1:
		return facts.T("verdict.pool-one-request-flight"), facts.T("verdict.raise-concurrency-or-lower")
	case l.expected < 1:
		return facts.T("verdict.no-connection-reached-limit-window"), facts.T("verdict.raise-duration-or-lower")
	case l.perExpected() >= stampedes:
		return facts.T("verdict.connections-opened-used-churn"), facts.T("verdict.look-failures-timeline")
	case l.Workload.RatePerS > 0:
		return facts.T("verdict.requests-s-most-flight", core.Count(l.Workload.RatePerS), l.mostInFlight()),
			facts.T("verdict.raise-rate-or-lower")
	case n < 4*stampedes:
		return facts.T("verdict.requests-flight-pool-renewal", n, n), facts.T("verdict.raise-concurrency-or-lower")
	}
	return facts.T("verdict.client-seems-dial-once"), facts.T("verdict.compare-version-recorded-runs-client")
}
