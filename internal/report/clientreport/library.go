package clientreport

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
)

// libraries writes one section per library: what each client does at a renewal, its error messages,
// and its cures.
func (p *page) libraries() {
	if len(p.rows) == 0 {
		return
	}
	p.Heading("clients.library-library")
	p.server()
	for _, rows := range p.ecosystems() {
		p.Print("clients.heading-libraries", escape(p.Worded(p.ecosystem(rows[0]))))
		for i, r := range rows {
			if i == 0 || p.library(r) != p.library(rows[i-1]) {
				p.Printf("\n#### %s\n", escape(p.Worded(p.library(r))))
			}
			if root := p.root(r); root == r {
				p.client(r)
			} else {
				p.cure(root, r)
			}
		}
	}
}

// server describes the cure on the server's side, measured for all clients.
func (p *page) server() {
	clean, of := 0, 0
	for _, r := range p.rows {
		if r.Verdict.Faulty() && r.Without != nil && r.Without.Trials > 0 {
			of++
			if !r.FailsAnyway && r.Without.Failed == 0 && (r.Without.Hung == nil || *r.Without.Hung == 0) &&
				(r.Without.Duplicates == nil || *r.Without.Duplicates <= 0) {
				clean++
			}
		}
	}
	p.Print("clients.on-the-server", block("nginx", p.Say("clients.keepalive-requests-100000")))
	if of > 0 {
		p.Print("clients.measured-where-no-window", code(high), p.Plural(of, "clients.clients"), code(p.low), whole(clean))
	}
}

// client writes the section of a row that is not a cure.
func (p *page) client(r *clientverdicts.Row) {
	p.Printf("\n%s\n\n##### %s %s %s\n\n", place(r.Client), code(string(r.Client)), dash, p.verdict(r.Verdict))
	p.about(r)
	p.account(r)
	p.figures(r)
	p.messages(r)
	p.tried(r)
}

// about describes the row, with the versions that it reported.
func (p *page) about(r *clientverdicts.Row) {
	said := []string{}
	if r.Program.Says != "" {
		said = append(said, escape(p.Worded(r.Program.Says)))
	}
	versions := escape(p.Worded(or(r.Library, r.Program.Library)))
	if r.Runtime != "" {
		versions = p.Say("clients.on", versions, escape(r.Runtime))
	}
	said = append(said, versions, speaks(r.Protocol))
	p.Print("clients.emphasised", strings.Join(said, p.Say("join.semicolon")))
}

// account writes the findings.
func (p *page) account(r *clientverdicts.Row) {
	for i, v := range append([]clientverdicts.Verdict{r.Verdict}, r.Also...) {
		if i >= len(r.Reasons) {
			continue
		}
		reason := prose(p.sentence(p.In(r.Reasons[i])))
		if v == clientverdicts.Unsupported { // begins with the name of a tool
			reason = escape(p.In(r.Reasons[i]))
		}
		p.Print("clients.item-bold", p.sentenceOf(v, i), reason)
	}
	for _, n := range r.Notes {
		p.Printf("- %s\n", prose(p.sentence(p.In(n))))
	}
	for _, n := range r.Near {
		p.Print("clients.near-threshold", prose(p.sentence(p.In(n))))
	}
	if r.SavedByEnvoy != "" {
		p.Print("clients.same-limit", code(far(r)), p.In(r.SavedByEnvoy.Words()),
			prose(p.sentence(p.In(facts.Join("join.semicolon", r.EnvoyReasons...)))))
	}
	p.Printf("\n")
}

// sentenceOf returns a verdict as the beginning of a line.
func (p *page) sentenceOf(v clientverdicts.Verdict, i int) string {
	words := p.In(v.Words())
	switch {
	case i > 0:
		return p.Say("clients.also", words)
	case p.Translated():
		return words
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// figures writes the cells of one client as columns of a table.
func (p *page) figures(r *clientverdicts.Row) {
	type cell struct {
		name string
		f    *clientverdicts.Figures
	}
	var cells []cell
	for _, c := range []cell{{low(r), r.At}, {high, r.Without}, {far(r), r.ByEnvoy}} {
		if c.f != nil && c.f.Trials > 0 {
			cells = append(cells, c)
		}
	}
	if len(cells) == 0 {
		return
	}
	p.Printf("| |")
	for _, c := range cells {
		p.Printf(" %s |", code(c.name))
	}
	p.Printf("\n|:--|%s\n", strings.Repeat("--:|", len(cells)))
	for _, l := range lines() {
		p.Printf("| %s |", p.Say(l.name))
		for _, c := range cells {
			p.Printf(" %s |", l.of(c.f))
		}
		p.Printf("\n")
	}
	p.Printf("\n")
}

// renewals returns those that the limit forced, as the verdicts count them.
func renewals(f *clientverdicts.Figures) *int64 {
	if f.Renewals == nil {
		return nil
	}
	return new(f.Due())
}

// low and far are the topologies of a row's verdicts.
func low(r *clientverdicts.Row) string { return fmt.Sprintf("nginx-%d", r.Limit) }
func far(r *clientverdicts.Row) string { return fmt.Sprintf("envoy-%d", r.Limit) }

type line struct {
	name string
	of   func(*clientverdicts.Figures) string
}

func lines() []line {
	count := func(of func(*clientverdicts.Figures) *int64) func(*clientverdicts.Figures) string {
		return func(f *clientverdicts.Figures) string { return known(of(f)) }
	}
	return []line{
		{"clients.requests-attempted", func(f *clientverdicts.Figures) string { return whole(f.Attempts) }},
		{"run.failed", func(f *clientverdicts.Figures) string { return whole(f.Failed) }},
		{"clients.connections-accepted", count(func(f *clientverdicts.Figures) *int64 { return f.Accepted })},
		{"clients.used", count(func(f *clientverdicts.Figures) *int64 { return f.Used })},
		{"clients.renewals", count(renewals)},
		{"clients.executed-backend", count(func(f *clientverdicts.Figures) *int64 { return f.Executed })},
		{"run.duplicates", count(func(f *clientverdicts.Figures) *int64 { return f.Duplicates })},
		{"clients.unanswered-executions", count(func(f *clientverdicts.Figures) *int64 { return f.Unanswered })},
		{"clients.hung", count(func(f *clientverdicts.Figures) *int64 { return f.Hung })},
		{"clients.goodput-requests-s", func(f *clientverdicts.Figures) string { return measure(f.Goodput) }},
	}
}

// messages writes every message verbatim, the most frequent first, with the counts of its classes.
func (p *page) messages(r *clientverdicts.Row) {
	if r.At == nil {
		return
	}
	for _, f := range r.At.Faults {
		p.Print("clients.programs-error-verbatim", escape(f.Kind),
			block("text", or(f.Message, p.Say("clients.no-message-2"))))
	}
	errs := byCount(r.At.Errors)
	if len(errs) == 0 {
		return
	}
	p.Print("clients.errors-caller-gets-verbatim", p.classCounts(errs))
	for i, e := range errs {
		if i == mostMessages {
			p.Print("clients.more", p.Plural(len(errs)-i, "clients.messages"))
		}
		p.Print("clients.messages-times", whole(e.Count), escape(e.Class), p.executed(r.At, e.Class),
			block("text", e.Message))
	}
	if len(errs) > mostMessages {
		p.Printf("</details>\n\n")
	}
}

// classCounts counts the failures by class.
func (p *page) classCounts(errs []facts.Error) string {
	var names []string
	counts := map[string]int64{}
	for _, e := range errs {
		if counts[e.Class] == 0 {
			names = append(names, e.Class)
		}
		counts[e.Class] += e.Count
	}
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%s %s", escape(n), whole(counts[n])))
	}
	return p.Language.List(out)
}

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
		p.Print("story.what-costs", escape(lowered(p.sentence(p.Worded(r.Program.Price)))))
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
	var word string = "clients.variant"
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

// ours matches the harness's own text for a call that never settled. Users never see it; the
// library's own message follows it.
var ours = regexp.MustCompile(`^no answer within \S+ \(the call never settled\)[:;,. ]*`)

// varies matches the parts that differ between two messages of one kind: object ids, ports, stream
// numbers.
var varies = regexp.MustCompile(`@[0-9a-f]{4,}|0x[0-9a-f]+|\d+`)

// kind returns a message without the parts that vary.
func kind(message string) string {
	return strings.Join(strings.Fields(varies.ReplaceAllString(message, "#")), " ")
}

// theirs returns the library's own message, or "" if there is none.
func theirs(message string) string { return strings.TrimSpace(ours.ReplaceAllString(message, "")) }

// mostMessages is how many kinds of message per client the page shows at once; the others are in a
// collapsed block.
const mostMessages = 6

// classMeans says what a class implies about the request, if the execution was not measured.
func classMeans(class string) string {
	switch class {
	case facts.ErrGoawayNotReplayable, facts.ErrRefusedStream:
		return "clients.not-executed-safe-send"
	case facts.ErrGoawayAfterProcessing, facts.ErrConnectionLost, facts.ErrTimeout:
		return "clients.may-executed"
	case facts.ErrHTTPStatus:
		return "clients.server-answered-error"
	case facts.ErrClientResources:
		return "clients.not-sent-clients-own"
	}
	return "clients.unknown-text-doesnt-show"
}

// executed says whether the failed requests of a cell were executed: as counted by the backend, or
// else as far as the class implies it.
func (p *page) executed(f *clientverdicts.Figures, class string) string {
	implied := p.Say(classMeans(class))
	if f == nil || f.Unanswered == nil || f.Failed == 0 {
		return implied
	}
	n := *f.Unanswered
	if f.Duplicates != nil {
		n -= max(0, *f.Duplicates)
	}
	switch {
	case class == facts.ErrHTTPStatus:
		return implied
	case n <= 0:
		return p.Say("clients.not-executed-none", whole(f.Failed))
	case class == facts.ErrGoawayNotReplayable || class == facts.ErrRefusedStream:
		return implied
	case n >= f.Failed:
		return p.Say("clients.executed-without-answer-all", whole(f.Failed))
	}
	return p.Say("clients.some-executed-clients", whole(n), whole(f.Failed))
}
