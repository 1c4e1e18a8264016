package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"h2lab/internal/diagnose"
	"h2lab/internal/lab"
)

// statusWords are the verdicts' words with a mark that needs no colour.
var statusWords = map[lab.Status]string{
	lab.Reproduced:    "● reproduced",
	lab.Fixed:         "✓ fixed",
	lab.NotReproduced: "○ not reproduced",
	lab.Inconclusive:  "? inconclusive",
	lab.Unsupported:   "– unsupported",
}

func statusWord(s lab.Status) string { return or(statusWords[s], "? "+string(s)) }

func (p *page) headline() string {
	return or(strings.Join(strings.Fields(diagnose.Headline(p.in.Result, p.in.Baseline, p.in.Verdicts)), " "),
		"No rule could judge this run; the numbers below are all there is.")
}

func (p *page) title() {
	p.printf("# %s: what a limit on requests per connection does to HTTP/2\n\n", code(or(p.run.Command, "h2lab")))
	p.printf("%s · run %s · %s · %s%s\n\n", code(or(p.run.Repeat, "h2lab "+p.run.Command)), code(p.run.ID),
		when(p.run.Started), or(p.run.Runtime, dash), p.notes.ref(p.run.Warnings...))
	p.printf("> **%s**\n", escape(p.headline()))
	for _, c := range p.caveats() {
		p.printf("\n> %s\n", c)
	}
}

// caveats are what a reader must know before the first number.
func (p *page) caveats() []string {
	var out []string
	if p.run.Interrupted {
		out = append(out, "**This run was interrupted.** What was finished is here; what is missing is named below.")
	} else if p.run.Finished.IsZero() {
		out = append(out, "**This run has not finished.** What is there so far is here; what is missing is named below.")
	}
	switch {
	case p.run.Quick:
		out = append(out, "**This is a look and no statistics** (QUICK): one short trial of each cell, no intervals, no significance. Run it without QUICK=1 before you rely on a number.")
	case p.run.Trials < 6:
		out = append(out, fmt.Sprintf("**This is no statistics**: %s of each cell; it takes six to give a median a 95 %% interval. Run it with TRIALS=6 or more before you rely on a number.",
			plural(p.run.Trials, "trial", "trials")))
	}
	if b := p.in.Baseline; b != nil {
		out = append(out, fmt.Sprintf("Rows marked *(repro)* are the baseline, run %s of %s.", code(b.Run.ID), when(b.Run.Started)))
		if d := differences(p.run, b.Run); d != "" {
			out = append(out, "**The baseline was measured differently:** "+d+". Ratios between the two runs don't hold.")
		}
	} else if p.run.Baseline != "" {
		out = append(out, fmt.Sprintf("The baseline, run %s, is not at hand: nothing is set beside these numbers.", code(p.run.Baseline)))
	}
	return out
}

// differences names the knobs in which two runs differ.
func differences(a, b lab.Run) string {
	var out []string
	add := func(name string, x, y any) {
		if x != y {
			out = append(out, fmt.Sprintf("%s is %v here and %v there", name, x, y))
		}
	}
	budget := func(v *float64) string {
		if v == nil {
			return "unlimited"
		}
		return number(v)
	}
	add("LIMIT", a.Limit, b.Limit)
	add("CONCURRENCY", a.Concurrency, b.Concurrency)
	add("DURATION", seconds(a.DurationS), seconds(b.DurationS))
	add("WARMUP", seconds(a.WarmupS), seconds(b.WarmupS))
	add("CPUS", budget(a.CPUs), budget(b.CPUs))
	add("KEY", a.Key, b.Key)
	add("RUNTIME", a.Runtime, b.Runtime)
	return strings.Join(out, ", ")
}

func (p *page) verdicts() {
	p.heading("Verdicts")
	if len(p.in.Verdicts) == 0 {
		p.printf("No rule gave a verdict on this run.\n")
		return
	}
	for _, g := range diagnose.Groups {
		headed := false
		for _, v := range p.in.Verdicts {
			rule, _ := diagnose.RuleOf(v.ID) // a rule that is no more was one of the fault's
			if rule.Group != g && (rule.Group != "" || g != diagnose.Fault) {
				continue
			}
			if !headed {
				p.printf("\n### %s\n\n", g)
				headed = true
			}
			p.verdict(v, rule.Good)
		}
	}
}

// maxEvidence is how many values a verdict shows; the rest is in verdicts.json.
const maxEvidence = 8

// value is one as results.json has it.
func value(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return dash
	}
	return string(b)
}

// verdict shows one; good is the status that says all is well, where there is one.
func (p *page) verdict(v lab.Verdict, good lab.Status) {
	word := statusWord(v.Status)
	if settled := v.Status == lab.Reproduced || v.Status == lab.NotReproduced; good != "" && settled {
		word = map[bool]string{true: "✓ yes", false: "! no"}[v.Status == good]
	}
	p.printf("- **%s** %s %s%s  \n", word, dash, escape(or(v.Title, v.ID)), p.notes.ref(v.Warnings...))
	p.printf("  %s\n", escape(or(v.Actual, dash)))
	var facts []string
	if v.Expected != "" {
		facts = append(facts, "Expected: "+escape(v.Expected))
	}
	if v.Hint != "" {
		facts = append(facts, "What follows: "+escape(v.Hint))
	}
	for i, e := range v.Evidence {
		if left := len(v.Evidence) - i; i == maxEvidence && left > 1 {
			facts = append(facts, integer(left)+" more in `verdicts.json`")
			break
		}
		facts = append(facts, code(e.Pointer)+" = "+code(value(e.Value)))
	}
	if v.Reference != "" {
		facts = append(facts, "Source: "+escape(v.Reference))
	}
	if len(facts) > 0 {
		p.printf("  <details><summary>what it rests on (rule %s)</summary>\n\n", escape(v.ID))
		for _, f := range facts {
			p.printf("  - %s\n", f)
		}
		p.printf("\n  </details>\n")
	}
}
