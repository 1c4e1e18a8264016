package watch

import (
	"fmt"
	"io"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/field/output"
)

// Text returns a function that prints events as text, one line each, in the user's language.
func Text(w io.Writer, r Rule, in output.Translate) func(Event) error {
	p := printer{in, r}
	return func(e Event) error {
		_, err := io.WriteString(w, p.line(e))
		return err
	}
}

type printer struct {
	in   output.Translate
	rule Rule
}

func (p printer) say(format string, args ...any) string {
	return p.in.Say(fmt.Sprintf(format, args...))
}

func (p printer) line(e Event) string {
	at := e.At.Format("15:04:05")
	switch e.Kind {
	case Started:
		heads := []string{"time", "requests/s", "new conn/s", "requests a new", "active"}
		for i, head := range heads {
			heads[i] = p.in.Say(head)
		}
		return p.say("%s is %s", e.URL, e.Source) + "\n" +
			p.say("alarm: below %s requests a new connection, %d of them or more in %v", text.Measured(p.rule.MinRatio),
				p.rule.MinNew, p.rule.Window) + "\n\n" + columns(heads) + "\n"
	case Measured:
		return p.row(at, e.Interval)
	case Alarmed:
		return at + " " + p.in.Say("ALARM connections are wasted: ") + p.in.Say(e.Evidence.String()) +
			p.in.Say(" (") + p.say("below %s", text.Measured(e.Evidence.MinRatio)) + p.in.Say(")") + "\n"
	case Cleared:
		return at + " " + p.in.Say("cleared: ") + p.in.Say(e.Evidence.String()) + "\n"
	case Over:
		return p.summary(e.Summary)
	}
	return at + " " + p.in.Say(e.Kind+": ") + p.in.Say(e.Text) + "\n"
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
		mark += "  " + p.say("%s at the limit", text.Things(*i.AtLimit, "request"))
	}
	if i.AtAge != nil && *i.AtAge > 0 {
		mark += "  " + p.say("%s at the maximum age", text.Things(*i.AtAge, "connection"))
	}
	if i.AlarmIsRaised {
		mark += "  !"
	}
	return columns([]string{at, text.Whole(i.RequestsPerS), text.Measured(i.NewPerS), perNew, active}) + mark + "\n"
}

// summary ends with the cause, the change and the next step.
func (p printer) summary(s *Summary) string {
	counts := []string{p.in.Say(text.Things(s.Requests, "request")), p.in.Say(text.Things(s.New, "new connection"))}
	if s.PerNew != nil {
		counts = append(counts, p.say("%s requests each", text.Measured(*s.PerNew)))
	}
	lines := []string{"", time.Duration(s.Seconds*1e9).Round(time.Second).String() + p.in.Say(": ") +
		strings.Join(counts, p.in.Say(", "))}
	add := func(format string, args ...any) { lines = append(lines, p.say(format, args...)) }
	if s.Restarts > 0 {
		add("server restarts: %d", s.Restarts)
	}
	if s.GoneFor > 0 {
		add("not reachable for %.0f s", s.GoneFor)
	}
	switch {
	case s.Alarms > 0 && s.Raised:
		add("alarms: %d, the last one is up; the worst window: %s", s.Alarms, s.Worst)
		add("%s", s.says(p.rule))
	case s.Alarms > 0:
		add("alarms: %d, none is up; the worst window: %s", s.Alarms, s.Worst)
		add("%s", s.says(p.rule))
	case s.New == 0:
		add("No connection was opened.")
	case s.Cause != "":
		add("No alarm.")
		add("%s", s.says(p.rule))
	case s.perhaps:
		add("No alarm: --limit is not given, so the threshold is %s requests a new connection. With nginx's default "+
			"limit, %d, it is %s, and this is an alarm.", text.Measured(p.rule.MinRatio), usualLimit,
			text.Measured(atUsualLimit.MinRatio))
	default:
		add("No alarm: each new connection brought enough requests, or too few connections were opened to judge.")
	}
	for _, c := range s.Changes {
		lines = append(lines, p.in.Say("change: ")+c.TitleIn(p.in), "    "+strings.ReplaceAll(c.Line, "\n", "\n    "))
	}
	return strings.Join(append(lines, p.in.Say("next: ")+p.in.Command(s.Next)), "\n") + "\n"
}
