package sweepreport

import (
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// sweep writes the section of one sweep.
func (p *sheet) sweep(v sweepverdicts.Voice) {
	p.Heading(v.Title)
	p.Printf("%s\n\n", markdown.Prose(p.about(v)))
	p.Printf("\n### %s\n\n", p.Say("Without a proxy"))
	p.charted(v.ID, p.directChart(v))
	p.direct(v)
	p.Printf("\n### %s\n\n", p.Say("Beside the published figures"))
	p.published(v)
	p.Printf("\n### %s\n\n", p.Say("Behind the limit"))
	p.behind(v)
}

// about says what was varied and what stayed the same.
func (p *sheet) about(v sweepverdicts.Voice) string {
	var w facts.Workload
	for _, c := range v.Cells() {
		if c.Users != "" {
			w = c.Workload
			break
		}
	}
	switch v.Sweep {
	case &sweepverdicts.Callers:
		offered := parts.Dash
		if cycle := w.ThinkMS + w.DelayMS; cycle > 0 {
			offered = text.Count(800 * 1000 / cycle)
		}
		return p.Say("Each user sends a request, waits for the answer, thinks for %s ms and sends the next one; the backend "+
			"waits %s ms. So 800 users offer at most %s requests/s. The service reads a row from its database and calls the "+
			"backend once for each request.", text.Count(w.ThinkMS), text.Count(w.DelayMS), offered)
	case &sweepverdicts.Burst:
		return p.Say("%s connections are opened first; then each sends its request at the same moment. The time runs until "+
			"the last answer. Without a proxy the server itself waits and calls nothing; behind the limits it calls the "+
			"backend, which waits.", text.Count(w.Requests))
	case &sweepverdicts.LowLatency:
		return p.Say("Each thread of the load generator sends a POST with a JSON body, waits for the answer and sends the next " +
			"one. The whole sweep varies the delay at 100 threads, and has delays of 1, 10 and 50 ms at the other numbers of " +
			"threads, so that it ends in time.")
	}
	return p.Say("`ab -k` keeps one connection for each user and sends the next request as soon as the answer is there. " +
		"Without a proxy the server itself waits and calls nothing; behind the limits it calls the backend, which waits.")
}

// published writes the sweep's published relations and statements beside this run's.
func (p *sheet) published(v sweepverdicts.Voice) {
	p.Printf("%s%s%s\n\n", markdown.Prose(p.Say(v.Source())), p.Say(" "), p.Say("Ratios are compared, never rates."))
	g := parts.Grid{Left: 2, Heads: p.say("Compared", "Published", "Ratio there", "Ratio here", "Same direction")}
	for _, c := range v.Published() {
		mark := ""
		if c.Strained {
			mark = p.Say(" ") + strainedMark
		}
		g.Add(parts.Plain(parts.Escape(p.Say(c.What))), parts.Plain(parts.Escape(c.Shown)),
			parts.Plain(sweepverdicts.NumberOf(c.Ratio)), parts.Plain(parts.Escape(v.Ours(c))+mark), parts.Plain(p.direction(c)))
	}
	if !g.Empty() {
		p.write(g)
	}
	for _, c := range v.Claims() {
		p.Printf("- %s\n", markdown.Prose(p.Say("Published: %s. Here: %s", c.Published, strings.TrimSuffix(c.Here,
			p.Say("%s.", "")))+p.Say(" (%s).", p.Say(claimWords[c.Status]))))
	}
}

var claimWords = map[facts.Status]translations.Phrase{
	facts.Reproduced: "the same", facts.NotReproduced: "not the same", facts.Inconclusive: "no statement",
}

// direction says whether both ratios lie on the same side of 1.
func (p *sheet) direction(c sweepverdicts.Compared) string {
	switch {
	case c.Ours == nil:
		return parts.Dash
	case c.Near:
		return p.Say("near 1, no direction")
	case c.Status == facts.Reproduced:
		return p.Say("yes")
	case c.Status == facts.NotReproduced:
		return p.Say("no")
	}
	return p.Say("trials on both sides of 1")
}
