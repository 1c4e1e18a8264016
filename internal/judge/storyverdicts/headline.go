package storyverdicts

import (
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// HeadlineIn returns the story as one sentence with its numbers: what the users get before and after the cure of one
// line, and the share of the exception. The language must be that of the verdicts.
func HeadlineIn(in translations.Language, run *facts.Result, verdicts []facts.Verdict) string {
	f := storyFacts{core.Unread(in, run), ChainOf(run)}
	text := f.Sentence(f.doubt(verdicts), f.beforeAndAfter(), f.exceptionClause())
	if text == "" {
		text = f.Say("This run has no data for a verdict")
	}
	if run.Run.Quick {
		text += f.Say(" (quick run, no statistics)")
	}
	return f.Say("%s.", strings.TrimSuffix(text, "."))
}

// doubt begins the headline of a run that doesn't show the incident.
func (f storyFacts) doubt(verdicts []facts.Verdict) string {
	v := core.Find(verdicts, incident.ID)
	if v == nil || v.Status == facts.Reproduced {
		return ""
	}
	return f.Say("The incident is %s in this run", f.Status(v.Status))
}

func (f storyFacts) beforeAndAfter() string {
	low, lack := f.at(f.Incident())
	if lack != nil {
		return ""
	}
	content := f.Say("%s users got %s requests/s with a p99 of %s ms through %s", text.Count(low.Workload.Concurrency),
		median(low, core.Goodput), median(low, P99), low.Topology)
	if high, lack := f.at(Place{f.High, facts.H2, OkHttp3}); lack == nil {
		u := compareUsers(high, low)
		content += f.Say(", and with keepalive_requests 100000 %s requests/s (%s) with a p99 of %s ms (%s)",
			median(high, core.Goodput), f.Ratio(u.goodput), median(high, P99), f.Ratio(u.p99))
	}
	return content
}

// exceptionClause describes the failures and the repeated requests, with and without the retry.
func (f storyFacts) exceptionClause() string {
	var clauses []string
	if with, lack := f.at(f.Incident()); lack == nil {
		d := damageOf(with)
		if d.duplicates != nil {
			clauses = append(clauses, f.Say("%s were executed again and %s failed", f.Things(float64(*d.duplicates), core.Requests),
				share(d)))
		} else {
			clauses = append(clauses, f.Say("%s failed", share(d)))
		}
	}
	if without, lack := f.at(f.NoRetry()); lack == nil {
		clauses = append(clauses, f.Say("%s failed without the client's retry", share(damageOf(without))))
	}
	return f.Sentence(clauses...)
}

// share is the share of requests that failed.
func share(d damage) string {
	if d.attempts == 0 {
		return text.Unknown
	}
	return text.Decimals(float64(d.failed)/float64(d.attempts)*100, 1) + "\u00a0%"
}
