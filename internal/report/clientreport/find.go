package clientreport

import (
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
)

// symptom is one line of the index: a message and the clients that report it.
type symptom struct {
	message string
	seen    []sighting
}

type sighting struct {
	row      *clientverdicts.Row
	executed string
}

// find writes the index from an error message to a library and its cure.
func (p *page) find() {
	p.Heading("clients.find-your-error-message")
	symptoms := p.symptoms()
	silent := p.with(clientverdicts.Hangs)
	if len(symptoms) == 0 && len(silent) == 0 {
		p.Print("clients.no-client-reported-error", code(p.low))
		return
	}
	p.Print("clients.every-error-message-caller", code(p.low))
	p.Print("clients.message-client-executed")
	for _, s := range symptoms {
		var who, what, cure []string
		for _, x := range s.seen {
			who = append(who, link(x.row.Client))
			what = append(what, x.executed)
			cure = append(cure, p.cureCell(x.row))
		}
		p.Printf("| %s | %s | %s | %s |\n", shown(s.message), strings.Join(who, "<br>"), stack(what), stack(cure))
	}
	for _, r := range silent {
		p.Print("clients.no-message", p.silence(r), link(r.Client), p.hungExecuted(r), p.cureCell(r))
	}
}

func (p *page) silence(r *clientverdicts.Row) string {
	if r.At != nil && r.At.Trials == 0 {
		return p.Say("clients.program-never-ends")
	}
	return p.Say("clients.call-never-returns")
}

func (p *page) hungExecuted(r *clientverdicts.Row) string {
	if r.At == nil || r.At.Trials == 0 {
		return dash
	}
	return p.executed(r.At, facts.ErrTimeout)
}

// symptoms returns the messages at the low limit, joined over the clients.
func (p *page) symptoms() []symptom {
	var out []symptom
	at := map[string]int{}
	add := func(r *clientverdicts.Row, message, executed string) {
		k := kind(message)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k], out = i, append(out, symptom{message: message})
		}
		if !slices.ContainsFunc(out[i].seen, func(s sighting) bool { return s.row == r }) {
			out[i].seen = append(out[i].seen, sighting{r, executed})
		}
	}
	for i := range p.rows {
		r := &p.rows[i]
		if r.At == nil {
			continue
		}
		for n, e := range byCount(r.At.Errors) {
			if m := theirs(e.Message); m != "" && n < mostMessages {
				add(r, m, p.executed(r.At, e.Class))
			}
		}
		for _, f := range r.At.Faults {
			if f.Kind != facts.FaultSilent && f.Message != "" {
				add(r, telling(f.Message), p.Say("clients.program-exited"))
			}
		}
	}
	return out
}

// errorLine matches the line of a stack trace that names the error.
var errorLine = regexp.MustCompile(`(?:Error|Exception)(?:: | ` +
	`\[|$)|(?i:^\s*error\b|panic|fatal|abort|assert|segmentation)`)

// telling returns the line of a crash that a user would search for.
func telling(message string) string {
	for _, line := range strings.Split(message, "\n") {
		if errorLine.MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	return message
}

// byCount sorts the most frequent first.
func byCount(errs []facts.Error) []facts.Error {
	out := slices.Clone(errs)
	slices.SortStableFunc(out, func(a, b facts.Error) int { return int(b.Count - a.Count) })
	return out
}

// mostShown is the length of a message that fits a cell. The client's section has the whole text.
const mostShown = 240

// shown returns a message for a cell: its first line, cut to mostShown. A line break doesn't
// survive in a code span, so the client's section has the other lines.
func shown(message string) string {
	line, rest, more := strings.Cut(strings.TrimSpace(message), "\n")
	r := []rune(strings.TrimSpace(line))
	if len(r) > mostShown {
		return code(string(r[:mostShown])) + " …"
	}
	if more && strings.TrimSpace(rest) != "" {
		return code(string(r)) + " …"
	}
	return code(string(r))
}

// stack joins the lines of a cell with line breaks, or returns one line if all are equal.
func stack(lines []string) string {
	if len(lines) > 0 && !slices.ContainsFunc(lines, func(s string) bool { return s != lines[0] }) {
		return lines[0]
	}
	return strings.Join(lines, "<br>")
}

// cureCell names the variants that cured a client in this run, or says that none did.
func (p *page) cureCell(r *clientverdicts.Row) string {
	if !r.Verdict.Faulty() || r.Verdict == clientverdicts.Lies && len(r.Also) == 0 {
		return dash
	}
	if cured := p.cured(r); len(cured) > 0 {
		return p.links(cured)
	}
	for _, c := range r.Cures {
		if c.Outcome == clientverdicts.Partly {
			return p.Say("clients.part", link(c.Client))
		}
	}
	return p.Say("clients.servers-limit-server")
}

// cured returns the variants that cured a row. For a cure that didn't work it returns those that
// cured the same client.
func (p *page) cured(r *clientverdicts.Row) []facts.Client {
	if out := r.CuredBy(); len(out) > 0 {
		return out
	}
	if root := p.root(r); root != r {
		return root.CuredBy()
	}
	return nil
}
