package watch

import (
	"fmt"
	"io"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Text returns a function that prints events as text, one line each, in the user's language.
func Text(w io.Writer, r Rule, l texts.Language) func(Event) error {
	p := printer{l, r}
	return func(e Event) error {
		_, err := io.WriteString(w, p.line(e))
		return err
	}
}

type printer struct {
	texts.Language
	rule Rule
}

func (p printer) line(e Event) string {
	at := e.At.Format("15:04:05")
	happened := func(key string, args ...any) string { return at + " " + p.In(facts.T(key, args...)) + "\n" }
	switch e.Kind {
	case Started:
		return p.In(facts.T("watch.is", e.URL, e.Source)) + "\n" +
			p.In(facts.T("watch.rule", text.Measured(p.rule.MinRatio), int(p.rule.MinNew), p.rule.Window.String())) + "\n\n" +
			columns(strings.Split(p.In(facts.T("watch.heads")), "|")) + "\n"
	case Measured:
		return p.row(at, e.Interval)
	case Alarmed:
		return happened("watch.alarm", e.Evidence.text(), text.Measured(e.Evidence.MinRatio))
	case Cleared:
		return happened("watch.cleared", e.Evidence.text())
	case Gone:
		return happened("watch.gone", facts.Text(e.Text))
	case Back:
		return happened("watch.back", facts.Text(e.Text))
	case Restart:
		return happened("watch.restart", facts.Text(e.Text))
	}
	return p.summary(e.Summary)
}

// columns aligns the cells of a line: the first on the left, the others on the right.
func columns(cells []string) string {
	out := text.Pad(cells[0], 8)
	for i, width := range []int{12, 12, 16, 8} {
		out += strings.Repeat(" ", 1+max(0, width-text.Columns(cells[i+1]))) + cells[i+1]
	}
	return out
}

func (p printer) row(at string, i *Interval) string {
	perNew, active, mark := "-", "-", ""
	if i.PerNew != nil {
		perNew = text.Measured(*i.PerNew)
	}
	if i.Active != nil {
		active = text.Count(*i.Active)
	}
	if i.AtLimit != nil && *i.AtLimit > 0 {
		mark += "  " + p.In(facts.T("watch.at-limit", text.Count(*i.AtLimit)))
	}
	if i.AtAge != nil && *i.AtAge > 0 {
		mark += "  " + p.In(facts.T("watch.at-age", text.Count(*i.AtAge)))
	}
	if i.AlarmIsRaised {
		mark += "  !"
	}
	return columns([]string{at, text.Whole(i.RequestsPerS), text.Measured(i.NewPerS), perNew, active}) + mark + "\n"
}

// summary ends with the cause, the change and the next step.
func (p printer) summary(s *Summary) string {
	counts := facts.Join("join.comma", facts.T("watch.requests", text.Count(s.Requests)), facts.T("watch.new", text.Count(s.New)))
	if s.PerNew != nil {
		counts = facts.Join("join.comma", counts, facts.T("watch.each", text.Measured(*s.PerNew)))
	}
	took := time.Duration(s.Seconds * 1e9).Round(time.Second).String()
	lines := []string{"", p.In(facts.T("watch.total", took, counts))}
	add := func(t facts.Text) { lines = append(lines, p.In(t)) }
	if s.Restarts > 0 {
		add(facts.T("watch.restarts", s.Restarts))
	}
	if s.GoneFor > 0 {
		add(facts.T("watch.gone-for", fmt.Sprintf("%.0f", s.GoneFor)))
	}
	switch {
	case s.Alarms > 0 && s.Raised:
		add(facts.T("watch.alarms-up", s.Alarms, s.Worst.text()))
	case s.Alarms > 0:
		add(facts.T("watch.alarms-over", s.Alarms, s.Worst.text()))
	case s.New == 0:
		add(facts.T("watch.none-opened"))
	case s.Cause != "":
		add(facts.T("watch.no-alarm"))
	case s.perhaps:
		add(facts.T("watch.no-limit-given", text.Measured(p.rule.MinRatio), usualLimit, text.Measured(atUsualLimit.MinRatio)))
	default:
		add(facts.T("watch.enough"))
	}
	if s.Alarms > 0 || s.New > 0 && s.Cause != "" {
		add(s.says(p.rule))
	}
	for _, c := range s.Changes {
		lines = append(lines, p.In(facts.T("watch.change"))+p.In(c.Title()),
			"    "+strings.ReplaceAll(p.In(facts.Text(c.Line)), "\n", "\n    "))
	}
	add(facts.T("watch.next", facts.Text(s.Next)))
	return strings.Join(lines, "\n") + "\n"
}
