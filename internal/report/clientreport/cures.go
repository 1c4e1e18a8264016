package clientreport

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/translations"
)

// tried lists the cures before their sections begin.
func (p *page) tried(r *clientverdicts.Row) {
	switch {
	case r.Verdict == clientverdicts.Lies && len(r.Also) == 0: // no setting helps against false successes
	case len(r.Cures) == 0 && r.Verdict.Faulty():
		p.Print("clients.no-cure-clients-side")
	case len(r.CuredBy()) == 0 && r.Verdict.Faulty():
		p.Print("clients.no-variant-cured-run")
	}
}

// cure writes the section of a variant: what to set, its effect and its cost.
func (p *page) cure(root, r *clientverdicts.Row) {
	target := p.at[r.Program.Cures]
	if target == nil {
		target = root
	}
	p.Printf("\n%s\n\n###### %s %s %s\n\n", place(r.Client), p.title(target, r), dash, p.verdict(r.Verdict))
	p.about(r)
	if r.Program.Snippet.Text != "" {
		p.Print("clients.variant-runs", block(r.Program.Snippet.Language, r.Program.Snippet.Text),
			code(r.Program.Snippet.File))
	}
	p.Printf("- **%s**\n", prose(p.sentence(p.became(target, r))))
	if target.At != nil && r.At != nil && r.At.Trials > 0 && target.At.Trials > 0 {
		p.Print("clients.before-after", p.effect(target.At, r.At))
	}
	if r.Program.Price != "" {
		p.Print("story.what-costs", escape(lowered(p.sentence(p.Language.Worded(r.Program.Price)))))
	}
	if r.Verdict != clientverdicts.Sound {
		p.account(r)
		p.messages(r)
		return
	}
	for _, n := range slices.Concat(r.Notes, r.Near) {
		p.Printf("- %s\n", prose(p.sentence(p.In(n))))
	}
}

// title names a cure by its outcome.
func (p *page) title(target, r *clientverdicts.Row) string {
	var word translations.Phrase = "clients.variant"
	switch p.outcome(target, r) {
	case clientverdicts.Cured:
		word = "clients.cure"
	case clientverdicts.Partly:
		word = "clients.partial-cure"
	case clientverdicts.Failed:
		word = "clients.did-not-cure"
	}
	return p.Say("page.labelled", p.Say(word), code(string(r.Client)))
}

func (p *page) outcome(target, r *clientverdicts.Row) clientverdicts.Outcome {
	for _, c := range target.Cures {
		if c.Client == r.Client {
			return c.Outcome
		}
	}
	return clientverdicts.Untold
}

// became describes the outcome.
func (p *page) became(target, r *clientverdicts.Row) string {
	for _, c := range target.Cures {
		if c.Client == r.Client {
			return p.Say("page.labelled", fmt.Sprintf("`%s`", target.Client), p.In(c.Words))
		}
	}
	return p.Say("clients.client-cures-not-part")
}

// effect lists the numbers that changed.
func (p *page) effect(before, after *clientverdicts.Figures) string {
	return p.Say("clients.failed-per-1000-connections",
		measure(before.PerThousand()), measure(after.PerThousand()),
		known(before.Accepted), known(renewals(before)), known(after.Accepted), known(renewals(after)),
		known(before.Duplicates), known(after.Duplicates), known(before.Hung), known(after.Hung),
		measure(before.Goodput), measure(after.Goodput))
}

// lowered starts with a lower-case letter, for text after a colon. Names in capitals stay.
func lowered(s string) string {
	r := []rune(s)
	if len(r) > 1 && r[0] >= 'A' && r[0] <= 'Z' && (r[1] == ' ' || r[1] >= 'a' && r[1] <= 'z') {
		return strings.ToLower(string(r[0])) + string(r[1:])
	}
	return s
}
