package clientreport

import (
	"fmt"
	"strings"

	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/translations"
)

// tried lists the cures before their sections begin.
func (p *page) tried(r *clientverdicts.Row) {
	switch {
	case r.Verdict == clientverdicts.Lies && len(r.Also) == 0: // no setting helps against false successes
	case len(r.Cures) == 0 && r.Verdict.Faulty():
		p.PrintPhrase("No cure on the client's side was tried; [raise the server's limit](#on-the-server).\n")
	case len(r.CuredBy()) == 0 && r.Verdict.Faulty():
		p.PrintPhrase("No variant cured it in this run; [raise the server's limit](#on-the-server).\n")
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
		p.PrintPhrase("%s\nFrom %s, as this variant runs it.\n\n", block(r.Program.Snippet.Language, r.Program.Snippet.Text),
			code(r.Program.Snippet.File))
	}
	p.Printf("- **%s**\n", prose(p.sentence(p.became(target, r))))
	if target.At != nil && r.At != nil && r.At.Trials > 0 && target.At.Trials > 0 {
		p.PrintPhrase("- Before → after: %s.\n", p.effect(target.At, r.At))
	}
	if r.Program.Price != "" {
		p.PrintPhrase("- What it costs: %s\n", escape(lowered(p.sentence(p.Language.Worded(r.Program.Price)))))
	}
	if r.Verdict != clientverdicts.Sound {
		p.account(r)
		p.messages(r)
		return
	}
	for _, n := range append(append([]string{}, r.Notes...), r.Near...) {
		p.Printf("- %s\n", prose(p.sentence(n)))
	}
}

// title names a cure by its outcome.
func (p *page) title(target, r *clientverdicts.Row) string {
	var word translations.Phrase = "Variant"
	switch p.outcome(target, r) {
	case clientverdicts.Cured:
		word = "Cure"
	case clientverdicts.Partly:
		word = "Partial cure"
	case clientverdicts.Failed:
		word = "Did not cure"
	}
	return p.Say("%s: %s", p.Say(word), code(string(r.Client)))
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
			return p.Say("%s: %s", fmt.Sprintf("`%s`", target.Client), c.Words)
		}
	}
	return p.Say("the client that it cures was not part of this run")
}

// effect lists the numbers that changed.
func (p *page) effect(before, after *clientverdicts.Figures) string {
	return p.Say("failed per 1,000 %s → %s, connections accepted for renewals %s for %s → %s for %s, duplicates %s → %s, "+
		"hung %s → %s, goodput %s → %s requests/s",
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
