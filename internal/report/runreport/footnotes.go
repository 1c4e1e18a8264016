package runreport

import (
	"fmt"
	"slices"
	"strings"
)

// notes are warnings, numbered by first occurrence. A repeated warning keeps its number.
type notes struct{ list []string }

// ref returns the mark beside a number; empty without warnings. It uses plain links since VS Code's
// preview doesn't support [^1].
func (n *notes) ref(warnings ...string) string {
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

// recorded translates a sentence of the result.
func (p *page) recorded(sentence string) string { return p.in.Language.RecordedOne(sentence) }

func (p *page) noteRecorded(sentences ...string) string {
	return p.notes.ref(p.in.Language.Recorded(sentences)...)
}

func (p *page) footnotes() {
	if len(p.notes.list) == 0 {
		return
	}
	p.heading("Notes")
	for i, n := range p.notes.list {
		p.printf("%d. <a id=\"note-%d\"></a>%s\n", i+1, i+1, escape(n))
	}
}

// trialWarnings returns the warnings of a cell's trials, each once with its trials.
func (p *page) trialWarnings(c row) []string {
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
			out = append(out, p.say("in every trial: %s", p.recorded(w)))
			continue
		}
		out = append(out, p.say("in trial %s: %s", p.in.Language.List(trials[w]), p.recorded(w)))
	}
	if o := c.Summary.Outliers; len(o) > 0 {
		var which []string
		for _, position := range o {
			if position >= 0 && position < len(c.Trials) {
				which = append(which, fmt.Sprint(c.Trials[position].Index))
			}
		}
		out = append(out, p.say("goodput of trial %s is more than 1.5 interquartile ranges outside the "+
			"quartiles; it is marked, not dropped",
			p.in.Language.List(which)))
	}
	return out
}
