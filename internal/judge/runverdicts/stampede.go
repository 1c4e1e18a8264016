package runverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// stampedes is the number of accepted connections per expected one from which the report calls it a
// stampede. A client that dials once per renewal has 1.0, one that needs a second connection for
// its streams at most 2, and the mildest stampede measured, with 10 requests in flight, 9.4 (189
// connections for 20). 5 lies between.
const stampedes = 5

// usedSlack is the ratio of used to expected connections that still counts as used as expected: several
// dials of one renewal may finish at almost the same time and all carry requests.
const usedSlack = 1.5

// ledger holds a cell's connections in the window, medians over its trials.
type ledger struct {
	found
	accepted, used, expected float64
}

// connections reads the ledger of an h2 cell, or says which column is unknown.
func (f runFacts) connections(topology string, c facts.Client) (ledger, *finding) {
	cell, lack := f.Cell(topology, facts.H2, c)
	if lack != nil {
		return ledger{}, lack
	}
	l := ledger{found: cell}
	var unknown []string
	for _, column := range []struct {
		name string
		from facts.Estimate
		to   *float64
	}{
		{"accepted", cell.Summary.Accepted, &l.accepted},
		{"used", cell.Summary.Used, &l.used},
		{"expected", cell.Summary.Expected, &l.expected},
	} {
		v, ok := core.Known(column.from)
		if !ok {
			unknown = append(unknown, column.name)
		}
		*column.to = v
	}
	if unknown != nil {
		return ledger{}, &finding{Status: facts.Inconclusive, Evidence: f.Evidence(cell.See("/trials/0/connections")...),
			Actual: facts.T("verdict.cell-no-count-connections", cell.ID(), core.List(unknown))}
	}
	return l, nil
}

// perExpected is the number of accepted connections per expected one. Without expected connections there
// is no such number.
func (l ledger) perExpected() float64 {
	if l.expected < 1 {
		return 0
	}
	return l.accepted / l.expected
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
		return facts.T("verdict.pool-one-request-flight"),
			facts.T("verdict.raise-concurrency-or-lower")
	case l.expected < 1:
		return facts.T("verdict.no-connection-reached-limit-window"),
			facts.T("verdict.raise-duration-or-lower")
	case l.perExpected() >= stampedes:
		return facts.T("verdict.connections-opened-used-churn"),
			facts.T("verdict.look-failures-timeline")
	case l.Workload.RatePerS > 0:
		return facts.T("verdict.requests-s-most-flight", core.Count(l.Workload.RatePerS), l.mostInFlight()),
			facts.T("verdict.raise-rate-or-lower")
	case n < 4*stampedes:
		return facts.T("verdict.requests-flight-pool-renewal", n, n),
			facts.T("verdict.raise-concurrency-or-lower")
	}
	return facts.T("verdict.client-seems-dial-once"),
		facts.T("verdict.compare-version-recorded-runs-client")
}
