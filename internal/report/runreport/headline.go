package runreport

import (
	"encoding/json"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/report/translations"
)

// statusWords are the names of the statuses, with a mark so that no reader depends on colour.
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
	return "? " + escape(string(s))
}

func (p *page) headline() string {
	return or(strings.Join(strings.Fields(runverdicts.HeadlineIn(p.in.Language, p.in.Result, p.in.Verdicts)), " "),
		p.say("No rule could judge this run; only the numbers below are available."))
}

// title writes the first screen: the headline, its picture, and the warnings of the whole run.
func (p *page) title(pictures []picture) {
	p.printPhrase("# %s: what a limit on requests per connection does to HTTP/2\n\n", code(or(p.run.Command, "h2lab")))
	p.printf("> **%s**\n\n", escape(p.headline()))
	for _, s := range pictures {
		if s.name == headlinePicture {
			p.picture(s)
		}
	}
	p.printPhrase("%s · run %s · %s · %s\n\n", code(or(p.run.Repeat, "h2lab "+p.run.Command)), code(p.run.ID),
		when(p.run.Started), escape(or(p.run.Runtime, dash)))
	for i, w := range p.warnings() {
		if i == 0 {
			p.printf("**%s**\n\n", p.say(warningsHead))
		}
		p.printf("- %s\n", escape(w))
	}
}

func (p *page) verdicts() {
	p.heading("Verdicts")
	if len(p.in.Verdicts) == 0 {
		p.printPhrase("No rule gave a verdict on this run.\n")
		return
	}
	for _, g := range runverdicts.Groups {
		headed := false
		for _, v := range p.in.Verdicts {
			rule, _ := runverdicts.RuleOf(v.ID) // rules that were removed belonged to the fault
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

// maxEvidence is how many values of a verdict the report shows; verdicts.json has all of them.
const maxEvidence = 8

// value writes a value as in results.json.
func value(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return dash
	}
	return string(b)
}

// verdict writes one verdict; good is the status of a healthy run, if there is one.
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
		facts = append(facts, p.say("Next: %s", escape(v.Hint)))
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
		p.printPhrase("  <details><summary>evidence (rule %s)</summary>\n\n", escape(v.ID))
		for _, f := range facts {
			p.printf("  - %s\n", f)
		}
		p.printf("\n  </details>\n")
	}
}
