package runreport

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

func (p *page) method() {
	p.heading("How it was measured")
	w := facts.Workload{Method: dash, Concurrency: p.run.Concurrency, Pools: 1}
	if cells := p.in.Result.Cells; len(cells) > 0 {
		w = cells[0].Workload
	}
	timeline := p.say("were not recorded")
	if p.run.Observed {
		timeline = p.say("are the front's counters, sampled during the load; `make bench` measures the cost of " +
			"sampling")
	}
	p.prose("method.md", map[string]any{
		"Concurrency": integer(p.run.Concurrency), "Method": escape(w.Method),
		"Body":  p.plural(w.BodyBytes, bytesOfBody),
		"Pools": p.plural(w.Pools, pools), "Delay": integer(w.DelayMS) + " ms",
		"Trials": p.plural(p.run.Trials, trials), "Window": seconds(p.run.DurationS), "Warmup": seconds(p.run.WarmupS),
		"Seed": fmt.Sprint(p.run.Seed), "Limits": p.limits(), "TLS": p.tls(w),
		"Key": escape(or(strings.ToUpper(p.run.Key), p.say("unknown"))), "Timeline": timeline,
	})
	p.order()
}

// limits returns the probed limits of each topology, in order.
func (p *page) limits() string {
	var out []string
	for _, r := range p.rows {
		effective := p.say("limit not reached")
		switch l := r.Limit; {
		case r.Unsupported != "":
			continue
		case l.Effective != nil:
			effective = p.say("%s requests", integer(*l.Effective))
			if l.Closing != "" {
				effective += p.say(", then %s", escape(l.Closing))
			}
		case l.ProbedRequests == 0:
			effective = p.say("not probed")
		default:
			effective += p.say(" in %s requests", integer(l.ProbedRequests))
		}
		s := p.say("%s over %s %s", code(r.Topology), escape(string(r.Protocol)), effective)
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return or(strings.Join(out, p.say("; ")), p.say("nothing was probed"))
}

// tlsVersions returns the negotiated versions of all trials.
func (p *page) tlsVersions() string {
	var seen []string
	for _, r := range p.rows {
		for _, t := range r.Trials {
			if v := t.TLS.Version; v != "" && !slices.Contains(seen, escape(v)) {
				seen = append(seen, escape(v))
			}
		}
	}
	slices.Sort(seen)
	return or(strings.Join(seen, p.say(" and ")), dash)
}

// tls describes what was negotiated, with the resumed sessions.
func (p *page) tls(w facts.Workload) string {
	var resumed, known int64
	for _, r := range p.rows {
		for _, t := range r.Trials {
			if t.TLS.Resumed != nil {
				known++
				resumed += *t.TLS.Resumed
			}
		}
	}
	s := p.say("%s was negotiated (clients offer up to %s)", p.tlsVersions(), escape(or(w.MaxTLS, dash)))
	if known > 0 {
		s += p.say("; %s resumed, as far as clients report it", p.plural(int(resumed), sessions))
	}
	return s
}

// order lists the trials in the order of measurement, a line for each round.
func (p *page) order() {
	type turn struct {
		round, order int
		id           string
	}
	var turns []turn
	for i := range p.in.Result.Cells {
		c := &p.in.Result.Cells[i]
		for _, t := range c.Trials {
			turns = append(turns, turn{t.Index, t.Order, code(c.ID())})
		}
	}
	if len(turns) == 0 {
		return
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return a.order - b.order })
	p.printf("\n<details><summary>%s</summary>\n\n", p.say("The order of the trials"))
	for i, t := range turns {
		switch {
		case i == 0:
			p.printPhrase("- Round %d: ", t.round)
		case t.round != turns[i-1].round:
			p.printf("\n")
			p.printPhrase("- Round %d: ", t.round)
		default:
			p.printPhrase(", ")
		}
		p.printf("%s", t.id)
	}
	p.printf("\n\n</details>\n")
}
