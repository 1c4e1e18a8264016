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
