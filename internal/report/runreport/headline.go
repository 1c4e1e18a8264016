package runreport

import (
	"encoding/json"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/report/translations"
)

// statusWords are the verdicts' words with a mark that needs no colour.
var statusWords = map[facts.Status]translations.Phrase{
	facts.Reproduced:    "● reproduced",
	facts.Fixed:         "✓ fixed",
	facts.NotReproduced: "○ not reproduced",
	facts.Inconclusive:  "? inconclusive",
	facts.Unsupported:   "– unsupported",
}

func (p *page) statusWord(s facts.Status) string {
	if w := statusWords[s]; w != "" {
		return p.say(w)
	}
	return "? " + string(s)
}

func (p *page) headline() string {
	return or(strings.Join(strings.Fields(runverdicts.HeadlineIn(p.in.Language, p.in.Result, p.in.Baseline, p.in.Verdicts)), " "),
		p.say("No rule could judge this run; the numbers below are all there is."))
}

func (p *page) title() {
	p.tell("# %s: what a limit on requests per connection does to HTTP/2\n\n", code(or(p.run.Command, "h2lab")))
	p.tell("%s · run %s · %s · %s%s\n\n", code(or(p.run.Repeat, "h2lab "+p.run.Command)), code(p.run.ID),
		when(p.run.Started), or(p.run.Runtime, dash), p.noteRecorded(p.run.Warnings...))
	p.printf("> **%s**\n", escape(p.headline()))
	for _, c := range p.caveats() {
		p.printf("\n> %s\n", c)
	}
}

// caveats are what a reader must know before the first number.
func (p *page) caveats() []string {
	var out []string
	if p.run.Interrupted {
		out = append(out, p.say("**This run was interrupted.** What was finished is here; what is missing is named below."))
	} else if p.run.Finished.IsZero() {
		out = append(out, p.say("**This run has not finished.** What is there so far is here; what is missing is named below."))
	}
	switch {
	case p.run.Quick:
		out = append(out, p.say("**This is a look and no statistics** (QUICK): one short trial of each cell, no intervals, no significance. Run it without QUICK=1 before you rely on a number."))
	case p.run.Trials < 6:
		out = append(out, p.say("**This is no statistics**: %s of each cell; it takes six to give a median a 95 %% interval. Run it with TRIALS=6 or more before you rely on a number.",
			p.plural(p.run.Trials, trials)))
	}
	if b := p.in.Baseline; b != nil {
		out = append(out, p.say("Rows marked *(repro)* are the baseline, run %s of %s.", code(b.Run.ID), when(b.Run.Started)))
		if d := p.differences(p.run, b.Run); d != "" {
			out = append(out, p.say("**The baseline was measured differently:** %s. Ratios between the two runs don't hold.", d))
		}
	} else if p.run.Baseline != "" {
		out = append(out, p.say("The baseline, run %s, is not at hand: nothing is set beside these numbers.", code(p.run.Baseline)))
	}
	return out
}

// differences names the knobs in which two runs differ.
func (p *page) differences(a, b facts.Run) string {
	var out []string
	add := func(name string, x, y any) {
		if x != y {
			out = append(out, p.say("%s is %v here and %v there", name, x, y))
		}
	}
	budget := func(v *float64) string {
		if v == nil {
			return p.say("unlimited")
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
	return p.in.Language.List(out)
}

func (p *page) verdicts() {
	p.heading("Verdicts")
	if len(p.in.Verdicts) == 0 {
		p.tell("No rule gave a verdict on this run.\n")
		return
	}
	for _, g := range runverdicts.Groups {
		headed := false
		for _, v := range p.in.Verdicts {
			rule, _ := runverdicts.RuleOf(v.ID) // a rule that is no more was one of the fault's
			if rule.Group != g && (rule.Group != "" || g != runverdicts.Fault) {
				continue
			}
			if !headed {
				p.printf("\n### %s\n\n", p.say(g))
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
func (p *page) verdict(v facts.Verdict, good facts.Status) {
	word := p.statusWord(v.Status)
	if settled := v.Status == facts.Reproduced || v.Status == facts.NotReproduced; good != "" && settled {
		word = p.say(map[bool]translations.Phrase{true: "✓ yes", false: "! no"}[v.Status == good])
	}
	p.printf("- **%s** %s %s%s  \n", word, dash, escape(or(v.Title, v.ID)), p.notes.ref(v.Warnings...))
	p.printf("  %s\n", escape(or(v.Actual, dash)))
	var facts []string
	if v.Expected != "" {
		facts = append(facts, p.say("Expected: %s", escape(v.Expected)))
	}
	if v.Hint != "" {
		facts = append(facts, p.say("What follows: %s", escape(v.Hint)))
	}
	for i, e := range v.Evidence {
		if left := len(v.Evidence) - i; i == maxEvidence && left > 1 {
			facts = append(facts, p.say("%s more in `verdicts.json`", integer(left)))
			break
		}
		facts = append(facts, code(e.Pointer)+" = "+code(value(e.Value)))
	}
	if v.Reference != "" {
		facts = append(facts, p.say("Source: %s", escape(v.Reference)))
	}
	if len(facts) > 0 {
		p.tell("  <details><summary>what it rests on (rule %s)</summary>\n\n", escape(v.ID))
		for _, f := range facts {
			p.printf("  - %s\n", f)
		}
		p.printf("\n  </details>\n")
	}
}
