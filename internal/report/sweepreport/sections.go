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
	p.HeadingOf(v.Title)
	p.Printf("%s\n\n", markdown.Prose(p.about(v)))
	p.Printf("\n### %s\n\n", p.Say("sweep.without-proxy"))
	p.charted(v.ID, p.directChart(v))
	p.direct(v)
	p.Printf("\n### %s\n\n", p.Say("sweep.beside-published-figures"))
	p.published(v)
	p.Printf("\n### %s\n\n", p.Say("sweep.behind-limit"))
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
		return p.Say("sweep.user-sends-request-waits", text.Count(w.ThinkMS), text.Count(w.DelayMS), offered)
	case &sweepverdicts.Burst:
		return p.Say("sweep.connections-opened-first", text.Count(w.Requests))
	case &sweepverdicts.LowLatency:
		return p.Say("sweep.thread-load-generator-sends")
	}
	return p.Say("sweep.ab-k-keeps-connection")
}

// published writes the sweep's published relations and statements beside this run's.
func (p *sheet) published(v sweepverdicts.Voice) {
	p.Printf("%s%s%s\n\n", markdown.Prose(p.In(v.Source())), p.Say("join.sentences"), p.Say("sweep.ratios-compared-never-rates"))
	g := parts.Grid{Left: 2, Heads: p.say("sweep.compared", "sweep.published", "sweep.ratio-there", "sweep.ratio-here",
		"sweep.same-direction")}
	for _, c := range v.Published() {
		mark := ""
		if c.Strained {
			mark = p.Say("join.sentences") + strainedMark
		}
		g.Add(parts.Plain(parts.Escape(p.In(c.What()))), parts.Plain(parts.Escape(c.Shown)),
			parts.Plain(sweepverdicts.NumberOf(c.Ratio())), parts.Plain(parts.Escape(p.In(v.Ours(c)))+mark), parts.Plain(p.direction(c)))
	}
	if !g.Empty() {
		p.write(g)
	}
	for _, c := range v.Claims() {
		p.Printf("- %s\n", markdown.Prose(p.Say("sweep.published-here", p.In(c.Published), strings.TrimSuffix(p.In(c.Here),
			p.Say("verdict.sentence", "")))+p.Say("sweep.in-parentheses", p.Say(claimWords[c.Status]))))
	}
}

var claimWords = map[facts.Status]translations.Phrase{
	facts.Reproduced: "sweep.same", facts.NotReproduced: "sweep.not-same", facts.Inconclusive: "sweep.no-statement",
}

// direction says whether both ratios lie on the same side of 1.
func (p *sheet) direction(c sweepverdicts.Compared) string {
	switch {
	case c.Ours == nil:
		return parts.Dash
	case c.Near:
		return p.Say("sweep.near-1-no-direction")
	case c.Status == facts.Reproduced:
		return p.Say("sweep.yes")
	case c.Status == facts.NotReproduced:
		return p.Say("sweep.no")
	}
	return p.Say("sweep.trials-both-sides-1")
}
