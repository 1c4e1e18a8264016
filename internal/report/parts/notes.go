package parts

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

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

// Recorded translates a sentence of the result.
func (p *Page) Recorded(sentence string) string { return p.Language.RecordedOne(sentence) }

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
			if !slices.Contains(texts, w) {
				texts = append(texts, w)
			}
			trials[w] = append(trials[w], fmt.Sprint(t.Index))
		}
	}
	var out []string
	for _, w := range texts {
		if len(trials[w]) == len(c.Trials) {
			out = append(out, p.Say("page.every-trial", p.Recorded(w)))
			continue
		}
		out = append(out, p.Say("page.trial", p.Language.List(trials[w]), p.Recorded(w)))
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
