package runverdicts

import (
	"fmt"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// losses are a client's failures in its cell.
type losses struct {
	found
	failed    int64   // all failures of all trials
	lost      int64   // of these, requests whose body could not be sent again
	perTrial  float64 // the same, median of the trials
	renewals  int64   // connections that were used up, all trials
	known     bool    // whether renewals is known
	message   string  // the most frequent, verbatim
	messageAt string  // its pointer within the cell
}

// losses reads the failures of an h2 cell.
func (f runFacts) losses(topology string, c facts.Client) (losses, *finding) {
	cell, lack := f.Cell(topology, facts.H2, c)
	if lack != nil {
		return losses{}, lack
	}
	l := losses{found: cell, known: true}
	var most int64
	each := core.Estimate(cell.Trials, func(t facts.Trial) *float64 { n := float64(lostIn(t)); return &n })
	l.perTrial, _ = core.Known(each)
	for i, t := range cell.Trials {
		l.failed += t.Failed
		l.lost += lostIn(t)
		if t.Connections.Expected == nil {
			l.known = false
		} else {
			l.renewals += *t.Connections.Expected
		}
		for k, e := range t.Errors {
			if e.Class == facts.ErrGoawayNotReplayable && e.Count > most {
				most, l.message, l.messageAt = e.Count, e.Message, fmt.Sprintf("/trials/%d/errors/%d", i, k)
			}
		}
	}
	return l, nil
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
func (l losses) rate() float64 {
	var requests int64
	for _, t := range l.Trials {
		requests += t.Attempts
	}
	return float64(l.lost) / float64(max(requests, 1))
}

// account describes the losses.
func (l losses) account() facts.Text {
	text := facts.T("verdict.lost", core.Things(l.lost, core.Requests), len(l.Trials),
		text.Seconds(l.Workload.DurationS))
	if l.known {
		text.Add(facts.T("verdict.with", core.Things(l.renewals, core.Renewals)))
	}
	if l.known && l.renewals > 0 && l.lost > 0 {
		text.Add(facts.T("verdict.each", core.Fixed(float64(l.lost)/float64(l.renewals), 1)))
	}
	if l.message != "" {
		text.Add(facts.T("verdict.message", l.message))
	}
	if other := l.failed - l.lost; other > 0 {
		text.Add(facts.T("verdict.other-reasons", core.Things(other, core.Failures)))
	}
	return text
}

func (l losses) places() []string {
	places := []string{"/summary/failed/median", "/summary/expected/median"}
	if l.messageAt != "" {
		places = append(places, l.messageAt+"/message", l.messageAt+"/count")
	}
	return l.See(places...)
}
