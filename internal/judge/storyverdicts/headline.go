package storyverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Headline returns the story as one sentence with its numbers: what the users get before and after the cure of one
// line, and the share of the exception.
func Headline(run *facts.Result, verdicts []facts.Verdict) facts.Text {
	f := storyFacts{core.Unread(run), ChainOf(run)}
	return f.Run.Headline(facts.Join("join.semicolon", f.doubt(verdicts), f.beforeAndAfter(), f.exceptionClause()))
}

// doubt begins the headline of a run that doesn't show the incident.
func (f storyFacts) doubt(verdicts []facts.Verdict) facts.Text {
	v := core.Find(verdicts, "story-incident")
	if v == nil || v.Status == facts.Reproduced {
		return facts.Text{}
	}
	return facts.T("storyverdict.incident-run", core.Status(v.Status))
}

func (f storyFacts) beforeAndAfter() facts.Text {
	low, lacks := f.maybe(f.Incident())
	if lacks != nil {
		return facts.Text{}
	}
	said := facts.T("storyverdict.users-got-requests-s", text.Count(low.Workload.Concurrency),
		median(low, core.Goodput), median(low, P99), low.Topology)
	if high, lacks := f.maybe(Place{f.High, facts.H2, OkHttp3}); lacks == nil {
		u := compareUsers(high, low)
		said.Add(facts.T("storyverdict.keepalive-requests-100000-requests", median(high, core.Goodput),
			core.Ratio(u.goodput), median(high, P99), core.Ratio(u.p99)))
	}
	return said
}

// exceptionClause describes the failures and the repeated requests, with and without the retry.
func (f storyFacts) exceptionClause() facts.Text {
	var clauses []facts.Text
	if with, lacks := f.maybe(f.Incident()); lacks == nil {
		d := damageOf(with)
		if d.Duplicates != nil {
			clauses = append(clauses, facts.T("storyverdict.executed-again-failed", core.Things(*d.Duplicates, core.Requests),
				share(d)))
		} else {
			clauses = append(clauses, facts.T("storyverdict.share-failed", share(d)))
		}
	}
	if without, lacks := f.maybe(f.NoRetry()); lacks == nil {
		clauses = append(clauses, facts.T("storyverdict.failed-without-clients-retry", share(damageOf(without))))
	}
	return facts.Join("join.semicolon", clauses...)
}

// share is the share of requests that failed.
func share(d damage) string {
	if d.Attempts == 0 {
		return text.Unknown
	}
	return text.Decimals(float64(d.Failed)/float64(d.Attempts)*100, 1) + "\u00a0%"
}
