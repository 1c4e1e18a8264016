package parts

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

// Limits returns the probed limits of each topology, in order.
func (p *Page) Limits(cells []*facts.Cell) string {
	var out []string
	for _, r := range cells {
		effective := p.Say("page.limit-not-reached")
		switch l := r.Limit; {
		case r.Unsupported != "":
			continue
		case l.Effective != nil:
			effective = p.Say("verdict.requests", text.Count(*l.Effective))
			if l.Closing != "" {
				effective += p.Say("page.then", Escape(l.Closing))
			}
		case l.ProbedRequests == 0:
			effective = p.Say("page.not-probed")
		default:
			effective += p.Say("page.requests", text.Count(l.ProbedRequests))
		}
		s := p.Say("page.over", Code(r.Topology), Escape(string(r.Protocol)), effective)
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return Or(strings.Join(out, p.Say("join.semicolon")), p.Say("page.nothing-probed"))
}

// WrongLimits are topologies whose probed limit is not the configured one.
func (p *Page) WrongLimits() (out []string) {
	for i := range p.Result.Cells {
		c := &p.Result.Cells[i]
		l := c.Limit
		if len(c.Trials) == 0 || l.Configured == nil || l.Effective == nil || *l.Configured == *l.Effective {
			continue
		}
		w := p.Say("run.over-requests-connection", c.Topology,
			string(c.Protocol), fmt.Sprint(*l.Configured), fmt.Sprint(*l.Effective))
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// TLSVersions returns the negotiated versions of all trials.
func (p *Page) TLSVersions(cells []*facts.Cell) string {
	var seen []string
	for _, r := range cells {
		for _, t := range r.Trials {
			if v := t.TLS.Version; v != "" && !slices.Contains(seen, Escape(v)) {
				seen = append(seen, Escape(v))
			}
		}
	}
	slices.Sort(seen)
	return Or(strings.Join(seen, p.Say("join.and")), Dash)
}

// TLS describes what was negotiated, with the resumed sessions.
func (p *Page) TLS(w facts.Workload, cells []*facts.Cell) string {
	var resumed, known int64
	for _, r := range cells {
		for _, t := range r.Trials {
			if t.TLS.Resumed != nil {
				known++
				resumed += *t.TLS.Resumed
			}
		}
	}
	s := p.Say("page.negotiated-clients-offer-up", p.TLSVersions(cells), Escape(Or(w.MaxTLS, Dash)))
	if known > 0 {
		s += p.Say("page.resumed-far-clients-report", p.Plural(int(resumed), "page.sessions"))
	}
	return s
}

// Order lists the trials in the order of measurement, a line for each round.
func (p *Page) Order() {
	type turn struct {
		round, order int
		id           string
	}
	var turns []turn
	for i := range p.Result.Cells {
		c := &p.Result.Cells[i]
		for _, t := range c.Trials {
			turns = append(turns, turn{t.Index, t.Order, Code(c.ID())})
		}
	}
	if len(turns) == 0 {
		return
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return a.order - b.order })
	p.Printf("\n<details><summary>%s</summary>\n\n", p.Say("page.order-trials"))
	for i, t := range turns {
		switch {
		case i == 0:
			p.Print("page.round", t.round)
		case t.round != turns[i-1].round:
			p.Printf("\n")
			p.Print("page.round", t.round)
		default:
			p.Print("join.list")
		}
		p.Printf("%s", t.id)
	}
	p.Printf("\n\n</details>\n")
}
