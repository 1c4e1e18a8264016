package runverdicts

import (
	"fmt"
	"strconv"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// almostEvery is the share of renewals with a lost request from which the text says "almost every":
// some renewals happen while no request is in flight.
const almostEvery = 0.9

// lostRequests: requests whose body can't be sent again fail at every renewal; with a topology that cures it: they don't.
func lostRequests(f runFacts) finding {
	l := f.losses(f.low(), facts.GoOnce)
	a := finding{
		Status:   facts.Reproduced,
		Expected: facts.T("verdict.least-one-goaway-not"),
		Actual:   l.account(),
		Next:     facts.T("verdict.give-request-body-can"),
		Evidence: f.Evidence(l.places()...),
		Warnings: f.FewTrials(l.Summary.Failed),
	}
	switch {
	case l.lost == 0:
		return a.NotShown("verdict.because", l.whyNone)
	case l.Expected == nil:
		a.Warnings = append(a.Warnings, facts.T("verdict.how-many-renewals-not"))
	case float64(l.lost) < almostEvery*float64(l.renewals):
		a.Warnings = append(a.Warnings, facts.T("verdict.fewer-requests-lost-than", int(l.lost), int(l.renewals)))
	}
	return a
}

// whyNone is the likely reason that nothing was lost, and the next step.
func (l losses) whyNone() (reason, next facts.Text) {
	switch {
	case l.Expected != nil && l.renewals == 0:
		return facts.T("verdict.no-connection-reached-limit-window"), facts.T("verdict.raise-duration-or-lower")
	case l.InFlight() == 1:
		return facts.T("verdict.one-request-flight-pool"), facts.T("verdict.raise-concurrency-or-lower")
	case l.Workload.BodyBytes == 0:
		return facts.T("verdict.requests-without-body-can"), facts.T("verdict.send-one-method-post")
	}
	return facts.T("verdict.client-seems-send-bodies"), facts.T("verdict.compare-version-recorded-runs")
}

func lossGone(f runFacts, topology string) finding {
	l := f.losses(topology, facts.GoOnce)
	a := finding{
		Status:   facts.Fixed,
		Expected: facts.T("verdict.no-goaway-not-replayable"),
		Actual:   l.account(),
		Evidence: f.Evidence(l.places()...),
		Warnings: f.FewTrials(l.Summary.Failed),
	}
	before, noBefore := core.Try(func() losses { return f.losses(f.low(), facts.GoOnce) })
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()...)...)
		a.Actual.Add(facts.T("verdict.had-lost", before.Topology, core.Things(before.lost, core.Requests)))
	}
	switch {
	case l.lost > l.renewals*int64(l.InFlight()), l.lost > 0 && (noBefore != nil || l.rate() > rarer*before.rate()):
		a.Status, a.Next = facts.Reproduced, facts.T("verdict.look-errors-cell-limit")
	case noBefore != nil:
		a.Warnings = append(a.Warnings, facts.T("verdict.nothing-compare", noBefore.Actual))
	case before.lost == 0:
		return a.NotShown("verdict.so-run-no-loss", before.whyNone)
	}
	if l.lost > 0 && a.Status == facts.Fixed {
		a.Warnings = append(a.Warnings, facts.T("verdict.connections-reached-high-limit-one", core.Things(l.lost,
			core.LostOnes), core.Things(l.renewals, core.Renewals)))
	}
	if other := l.Failed - l.lost; other > 0 {
		a.Warnings = append(a.Warnings, facts.T("verdict.other-reasons-look-errors", core.Things(other, core.Failures), l.ID()))
	}
	return a
}

// replayableCures: a client whose bodies can be sent again loses no request at the low limit.
func replayableCures(f runFacts) finding {
	again := f.losses(f.low(), facts.GoReplayable)
	once := f.losses(f.low(), facts.GoOnce)
	a := finding{
		Status:   facts.Fixed,
		Expected: facts.T("verdict.no-failure-go-replayable"),
		Actual:   facts.T("verdict.go-replayable-go-once", again.account(), once.account()),
		Evidence: f.Evidence(append(again.places(), once.places()...)...),
		Warnings: f.FewTrials(again.Summary.Failed),
	}
	switch {
	case again.lost > 0:
		a.Status, a.Next = facts.Reproduced, facts.T("verdict.look-message-client-could")
	case once.lost == 0:
		return a.NotShown("verdict.nothing-cure", once.whyNone)
	case again.Failed > 0:
		a.Status, a.Next = facts.Inconclusive, facts.T("verdict.look-other-failures-cell", again.ID())
	}
	return a
}

// unaccounted is the number of requests that a trial executed (each counted once) but didn't
// answer. An answer with the wrong status may come from the proxy alone, so such answers only
// reduce a positive difference, at most to 0.
func unaccounted(t facts.Trial) int64 {
	extra := *t.Backend.Executed - *t.Backend.Duplicates - t.Succeeded
	for _, e := range t.Errors {
		if e.Class == facts.ErrHTTPStatus && extra > 0 {
			extra = max(0, extra-e.Count)
		}
	}
	return extra
}

// exactlyOnce: a request was executed twice, or executed without its caller getting an answer.
func exactlyOnce(f runFacts) finding {
	a := finding{Status: facts.NotReproduced,
		Expected: facts.T("verdict.duplicate-ids-backend-or"),
		Next:     facts.T("verdict.nothing-do-every-request")}
	var doubled, unanswered, overAnswered int64
	var where, unknown []string
	for _, c := range f.Cells() {
		ok := true
		for i, t := range c.Trials {
			b := t.Backend
			if b.Executed == nil || b.Duplicates == nil {
				ok = false
				continue
			}
			extra := unaccounted(t)
			if *b.Duplicates > 0 || extra != 0 {
				a.Evidence = append(a.Evidence, f.Evidence(c.See(fmt.Sprintf("/trials/%d/backend/executed", i),
					fmt.Sprintf("/trials/%d/backend/duplicates", i), fmt.Sprintf("/trials/%d/succeeded", i))...)...)
				where = append(where, c.ID())
			}
			doubled += *b.Duplicates
			unanswered += max(extra, 0)
			overAnswered += max(-extra, 0)
		}
		if !ok {
			unknown = append(unknown, c.ID())
		}
		a.Evidence = append(a.Evidence, f.Evidence(c.See("/summary/duplicates/median")...)...)
	}
	a.Actual = facts.T("verdict.executed-again-executed-without", core.Things(doubled, core.Requests),
		core.Count(float64(unanswered)), len(f.Cells()))
	if overAnswered > 0 {
		a.Warnings = append(a.Warnings, facts.T("verdict.answered-but-not-counted", core.Things(overAnswered, core.Requests)))
	}
	switch {
	case doubled > 0 || unanswered > 0:
		a.Status = facts.Reproduced
		a.Actual.Add(facts.T("verdict.because", core.List(core.Unique(where))))
		a.Next = facts.T("verdict.look-errors-these-cells")
	case len(f.Cells()) == 0:
		a.Status, a.Actual, a.Next = facts.Inconclusive, facts.T("verdict.no-cell-measured"), facts.T("verdict.run-command-again")
	case unknown != nil || overAnswered > 0:
		a.Status, a.Next = facts.Inconclusive, facts.T("verdict.look-backends-ledger-ids")
	}
	if unknown != nil {
		a.Actual.Add(facts.T("verdict.backends-count-not-known", core.List(unknown)))
	}
	return a
}

// losses are a client's failures in its cell.
type losses struct {
	found
	core.Totals
	lost      int64   // of the failed requests, those whose body could not be sent again
	perTrial  float64 // the same, median of the trials
	renewals  int64   // connections that were used up, all trials
	message   string  // the most frequent, verbatim
	messageAt string  // its pointer within the cell
}

// losses reads the failures of an h2 cell.
func (f runFacts) losses(topology string, c facts.Client) losses {
	cell := f.Cell(topology, facts.H2, c)
	l := losses{found: cell, Totals: core.Total(cell.Trials)}
	each := core.Estimate(cell.Trials, func(t facts.Trial) *float64 { n := float64(lostIn(t)); return &n })
	l.perTrial, _ = core.Known(each)
	for _, t := range cell.Trials {
		l.lost += lostIn(t)
	}
	if l.Expected != nil {
		l.renewals = *l.Expected
	}
	l.message, l.messageAt = core.Frequent(cell.Cell, "errors", func(t facts.Trial) []facts.Error { return t.Errors },
		facts.ErrGoawayNotReplayable)
	return l
}

func lostIn(t facts.Trial) int64 {
	var n int64
	for _, e := range t.Errors {
		if e.Class == facts.ErrGoawayNotReplayable {
			n += e.Count
		}
	}
	return n
}

// rate is the share of requests that were lost.
func (l losses) rate() float64 { return float64(l.lost) / float64(max(l.Attempts, 1)) }

// account describes the losses.
func (l losses) account() facts.Text {
	said := facts.T("verdict.lost", core.Things(l.lost, core.Requests), l.Totals.Trials, text.Seconds(l.Workload.DurationS))
	if l.Expected != nil {
		said.Add(facts.T("verdict.with", core.Things(l.renewals, core.Renewals)))
	}
	if l.renewals > 0 && l.lost > 0 {
		said.Add(facts.T("verdict.each", core.Fixed(float64(l.lost)/float64(l.renewals), 1)))
	}
	if l.message != "" {
		said.Add(facts.T("verdict.message", strconv.Quote(l.message)))
	}
	if other := l.Failed - l.lost; other > 0 {
		said.Add(facts.T("verdict.other-reasons", core.Things(other, core.Failures)))
	}
	return said
}

func (l losses) places() []string {
	places := []string{"/summary/failed/median", "/summary/expected/median"}
	if l.messageAt != "" {
		places = append(places, l.messageAt+"/message", l.messageAt+"/count")
	}
	return l.See(places...)
}
