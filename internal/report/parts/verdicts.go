package parts

import (
	"encoding/json"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// statusWords are the names of the statuses, with a mark so that no reader depends on colour.
var statusWords = map[facts.Status]translations.Phrase{
	facts.Reproduced:    "page.reproduced",
	facts.Fixed:         "page.fixed",
	facts.NotReproduced: "page.not-reproduced",
	facts.Inconclusive:  "page.inconclusive",
	facts.Unsupported:   "page.unsupported",
}

// StatusWord names a status.
func (p *Page) StatusWord(s facts.Status) string {
	if w := statusWords[s]; w != "" {
		return p.Say(w)
	}
	return "? " + Escape(string(s))
}

// VerdictSection writes the verdicts, by their groups.
func (p *Page) VerdictSection() {
	p.Heading("page.verdicts")
	if len(p.Verdicts) == 0 {
		p.Print("page.no-rule-gave-verdict")
		return
	}
	for _, g := range core.Groups {
		headed := false
		for _, v := range p.Verdicts {
			group, good := p.Rule(v.ID)
			if group != g.Group && (group != "" || g.Group != core.Fault) { // rules that were removed belonged to the fault
				continue
			}
			if !headed {
				p.Printf("\n### %s\n\n", p.In(g.Heading))
				headed = true
			}
			p.verdict(v, good)
		}
	}
}

// maxEvidence is how many values of a verdict the report shows; verdicts.json has all of them.
const maxEvidence = 8

// value writes a value as in results.json.
func value(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return Dash
	}
	return string(b)
}

// verdict writes one verdict; good is the status of a healthy run, if there is one.
func (p *Page) verdict(v facts.Verdict, good facts.Status) {
	word := p.StatusWord(v.Status)
	if settled := v.Status == facts.Reproduced || v.Status == facts.NotReproduced; good != "" && settled {
		word = p.Say(map[bool]translations.Phrase{true: "page.yes", false: "page.no"}[v.Status == good])
	}
	p.Printf("- **%s** %s %s%s  \n", word, Dash, Escape(Or(p.In(v.Title), v.ID)), p.Note(v.Warnings))
	p.Printf("  %s\n", Escape(Or(p.In(v.Actual), Dash)))
	var facts []string
	if !v.Expected.IsZero() {
		facts = append(facts, p.Say("page.expected", Escape(p.In(v.Expected))))
	}
	if !v.Hint.IsZero() {
		facts = append(facts, p.Say("page.next", Escape(p.In(v.Hint))))
	}
	for i, e := range v.Evidence {
		if left := len(v.Evidence) - i; i == maxEvidence && left > 1 {
			facts = append(facts, p.Say("page.more-verdictsjson", text.Count(left)))
			break
		}
		facts = append(facts, Code(e.Pointer)+" = "+Code(value(e.Value)))
	}
	if !v.Reference.IsZero() {
		facts = append(facts, p.Say("page.source", Escape(p.In(v.Reference))))
	}
	if len(facts) > 0 {
		p.Print("page.rule-evidence", Escape(v.ID))
		for _, f := range facts {
			p.Printf("  - %s\n", f)
		}
		p.Printf("\n  </details>\n")
	}
}
