// Package clientverdicts judges client programs: from a run of the client matrix it makes one row
// for each library and variant, with a verdict on how the program behaves under a limit on requests
// per connection. It reads only what results.json holds, uses no network, file or clock, and
// returns the same verdicts for the same run.
//
// Each rule is a pure function of rules.go. It compares the facts of a cell
// with those of the same client at the high limit and returns a finding. A row's verdict is the
// worst finding that holds; Also lists the others:
//
//	lies          it reports successes that the backend never executed
//	crashes       the program ends, or its output can't be parsed
//	hangs         requests never settle, or the program never ends
//	duplicates    the backend executed a request more than once
//	loses         requests fail that don't fail without the limit
//	stampedes     the client opens many more connections than it renews
//	inconclusive  the run has too few renewals, or the client fails without the limit too
//	sound         at least FewestRenewals connections were renewed without a fault
//	unsupported   the program can't run on this machine; the row has the reason
//
// Every threshold is a rate per renewal or per request: a named constant beside its rule,
// with its reason. No threshold depends on the length of the window. Thresholds lie in the gaps
// between the measurements of sound and of faulty clients, so that two runs agree; Near lists the
// numbers close to a threshold.
package clientverdicts

import (
	"reflect"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// cellFacts are the input of a rule: a cell's figures, and those of the same client under a limit
// that it never reaches.
type cellFacts struct {
	Figures
	base     *Figures // nil if it was not measured
	limit    int64
	protocol facts.Protocol
	high     string // the topology on which base was measured
	inFlight int
}

// finding is a rule's answer.
type finding struct {
	holds  bool
	reason facts.Text // why the rule holds
	note   facts.Text // what a reader should know if the rule doesn't hold
	near   facts.Text // the number that is close to the threshold
	own    bool       // the program does so without the limit as well
	doubt  facts.Text // why the client can't be called sound although the rule doesn't hold
	lower  bool       // a run with a lower limit would decide
}

type rule struct {
	verdict Verdict
	judge   func(cellFacts) finding
}

// everyRule has the rules in the order of Verdicts.
var everyRule = []rule{
	{Lies, lies}, {Crashes, crashes}, {Hangs, hangs}, {Duplicates, duplicates}, {Loses, loses}, {Stampedes, stampedes},
}

// judgement combines the findings of all rules for one cell.
type judgement struct {
	verdict              Verdict
	also                 []Verdict
	reasons, notes, near []facts.Text
	own                  bool
	lower                bool // a run with a lower limit would decide, or tell more
}

// ownShare is how many times as often as at the high limit a failure must happen before it is
// attributed to the limit. A program's own rate was measured to differ by half between two cells of
// a run; a factor of 2 leaves a margin.
const ownShare = 2

// beyond subtracts from a count the client's own share, scaled from the cell without the limit.
func (f cellFacts) beyond(n int64, of func(*Figures) int64) int64 {
	if f.base == nil || f.base.Attempts == 0 {
		return n
	}
	own := ownShare * float64(of(f.base)) * float64(f.Attempts) / float64(f.base.Attempts)
	return max(0, n-int64(own+0.5))
}

func judge(f cellFacts) judgement {
	var j judgement
	if reason := f.starved(); !reason.IsZero() {
		return judgement{verdict: Inconclusive, reasons: []facts.Text{reason}}
	}
	var doubts []finding
	for _, r := range everyRule {
		a := r.judge(f)
		j.own = j.own || a.own
		if !a.near.IsZero() {
			j.near = append(j.near, a.near)
		}
		switch {
		case !a.holds:
			if !a.doubt.IsZero() {
				doubts = append(doubts, a)
			}
			j.note(a.note)
			continue
		case j.verdict == "":
			j.verdict = r.verdict
		default:
			j.also = append(j.also, r.verdict)
		}
		j.reasons = append(j.reasons, a.reason)
	}
	if f.base == nil {
		j.note(facts.T("clientverdict.not-measured-so-limits", f.high))
	}
	if j.verdict != "" {
		j.lower = f.Renewals != nil && *f.Renewals < FewestRenewals // what else is wrong needs more of them
		return j
	}
	if a := inconclusive(f, doubts); a.holds {
		j.verdict, j.reasons, j.own, j.lower = Inconclusive, []facts.Text{a.reason}, j.own || a.own, a.lower
		for _, d := range doubts {
			if !reflect.DeepEqual(d.doubt, a.reason) {
				j.note(d.doubt)
			}
		}
		return j
	} else if !a.near.IsZero() {
		j.near = append(j.near, a.near)
	}
	j.verdict, j.reasons = Sound, []facts.Text{f.allIsWell()}
	if f.Duplicates == nil {
		j.note(facts.T("clientverdict.client-sends-no-request"))
	}
	return j
}

func (j *judgement) note(words facts.Text) {
	if !words.IsZero() {
		j.notes = core.Unique(append(j.notes, words))
	}
}

// allIsWell is the reason text of a sound client.
func (f cellFacts) allIsWell() facts.Text {
	s := facts.T("clientverdict.answered", core.Things(f.Succeeded, core.Requests))
	if f.Accepted != nil && f.Renewals != nil {
		s.Add(facts.T("clientverdict.accepted", core.Things(*f.Accepted, core.Connections), core.Things(f.Due(), core.Renewals)))
	}
	if f.Failed == 0 {
		s.Add(facts.T("clientverdict.none-failed"))
	} else {
		s.Add(facts.T("clientverdict.failed", count(f.Failed)))
	}
	if f.Duplicates != nil && *f.Duplicates == 0 {
		s.Add(facts.T("clientverdict.none-ran-twice"))
	}
	return s
}
