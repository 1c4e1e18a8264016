package parts

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// statusWords are the names of the statuses, with a mark so that no reader depends on colour.
var statusWords = map[facts.Status]string{
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
		word = p.Say(map[bool]string{true: "page.yes", false: "page.no"}[v.Status == good])
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

// Notes are warnings, numbered by first occurrence. A repeated warning keeps its number.
type Notes struct{ list []string }

// Ref returns the mark beside a number; empty without warnings. It uses plain links since VS Code's
// preview doesn't support [^1].
func (n *Notes) Ref(warnings ...string) string {
	var marks []string
	for _, w := range warnings {
		w = strings.Join(strings.Fields(w), " ")
		if w == "" {
			continue
		}
		i := slices.Index(n.list, w)
		if i < 0 {
			n.list = append(n.list, w)
			i = len(n.list) - 1
		}
		mark := fmt.Sprintf("[%d](#note-%d)", i+1, i+1)
		if !slices.Contains(marks, mark) {
			marks = append(marks, mark)
		}
	}
	if len(marks) == 0 {
		return ""
	}
	return " <sup>" + strings.Join(marks, ", ") + "</sup>"
}

//go:embed recorded.toml
var recorded string

var inChinese = sync.OnceValue(func() (out map[string]string) {
	if _, err := toml.Decode(recorded, &out); err != nil {
		panic(err) // embedded, and a test reads it
	}
	return out
})

// Worded translates a name or a description of a manifest. One that has no translation stays as it is.
func (p *Page) Worded(s string) string {
	if p.Translated() {
		return cmp.Or(inChinese()[s], s)
	}
	return s
}

// Note returns the mark of notes.
func (p *Page) Note(all []facts.Text) string { return p.Notes.Ref(p.Language.AllIn(all)...) }

// Footnotes writes the section of all notes.
func (p *Page) Footnotes() {
	if len(p.Notes.list) == 0 {
		return
	}
	p.Heading("page.notes")
	for i, n := range p.Notes.list {
		p.Printf("%d. <a id=\"note-%d\"></a>%s\n", i+1, i+1, Escape(n))
	}
}

// TrialWarnings returns the warnings of a cell's trials, each once with its trials.
func (p *Page) TrialWarnings(c *facts.Cell, outliers []int) []string {
	var texts []string
	trials := map[string][]string{}
	for _, t := range c.Trials {
		for _, w := range t.Warnings {
			said := p.In(w)
			if !slices.Contains(texts, said) {
				texts = append(texts, said)
			}
			trials[said] = append(trials[said], fmt.Sprint(t.Index))
		}
	}
	var out []string
	for _, w := range texts {
		if len(trials[w]) == len(c.Trials) {
			out = append(out, p.Say("page.every-trial", w))
			continue
		}
		out = append(out, p.Say("page.trial", p.Language.List(trials[w]), w))
	}
	out = append(out, p.LateTrials(c)...)
	if len(outliers) > 0 {
		var which []string
		for _, position := range outliers {
			if position >= 0 && position < len(c.Trials) {
				which = append(which, fmt.Sprint(c.Trials[position].Index))
			}
		}
		out = append(out, p.Say("page.goodput-trial-more-15", p.Language.List(which)))
	}
	return out
}

// enough is the number of trials that gives a median a 95 % interval.
const enough = 6

// WarningsHead is printed above the list, on the page and on the terminal.
const WarningsHead string = "page.about-whole-run"

// Warnings apply to the whole run. The report and the terminal print exactly this list before the
// first number.
func (p *Page) Warnings() []string {
	out := p.Ended()
	switch {
	case p.Result.Run.Quick:
		out = append(out, p.Say("page.quick-run-without"))
	case p.Result.Run.Command == "merge": // k6's scripts have no TRIALS
		out = append(out, p.Say("run.test-too-few-statistics"))
	case p.Result.Run.Trials < enough:
		out = append(out, p.Say("page.too-few-trials-statistics", p.Plural(p.Result.Run.Trials, "page.trials")))
	}
	out = append(out, p.Language.AllIn(p.Result.Run.Warnings)...)
	out = append(out, p.doubts()...)
	missing, unsupported := p.gaps()
	if n := len(missing); n > 0 {
		out = append(out, p.Say("page.planned-cells-incomplete", text.Count(n), text.Count(p.planned()), p.some(missing)))
	}
	out = core.Unique(append(out, unsupported...))
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// Ended is the warning of a run that didn't end as planned.
func (p *Page) Ended() []string {
	switch {
	case p.Result.Run.Interrupted:
		return []string{p.Say("page.run-interrupted-report")}
	case p.Result.Run.Finished.IsZero():
		return []string{p.Say("page.run-not-finished-report")}
	}
	return nil
}

// doubts returns the verdicts that say why the numbers can't be trusted.
func (p *Page) doubts() (out []string) {
	for _, v := range p.Verdicts {
		if group, good := p.Rule(v.ID); group == core.Trust && v.Status != good {
			out = append(out, p.Say("page.labelled", v.ID, p.In(v.Actual)))
		}
	}
	return out
}

// named is how many of several things a sentence names.
const named = 2

// some names the first of several things.
func (p *Page) some(things []string) string {
	if more := len(things) - named; more > 0 {
		things = append(slices.Clone(things[:named]), p.Say("page.more", text.Count(more)))
	}
	return p.Language.List(things)
}

// Gaps lists the cells that were planned and not measured.
func (p *Page) Gaps() {
	missing, unsupported := p.gaps()
	if len(missing) > 0 {
		p.Printf("\n### %s\n\n", p.Say("page.missing"))
		for _, m := range missing {
			p.Printf("- %s\n", Escape(m))
		}
	}
	if len(unsupported) > 0 {
		p.Printf("\n### %s\n\n", p.Say("page.unsupported-here"))
		for _, u := range unsupported {
			p.Printf("- %s\n", Escape(u))
		}
	}
}

func (p *Page) gaps() (missing, unsupported []string) {
	named := map[string]bool{}
	for i := range p.Result.Cells {
		c := &p.Result.Cells[i]
		name := c.Topology
		if c.Users != "" { // then the service is the reason, as often as the topology
			name = c.ID()
		}
		if !c.Unsupported.IsZero() && !named[name] {
			named[name] = true
			unsupported = append(unsupported, p.Say("run.cant-run-here", name, p.In(c.Unsupported)))
		}
	}
	missing, _ = p.Missing()
	return missing, unsupported
}
