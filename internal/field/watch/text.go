package watch

import (
	"fmt"
	"io"
	"strings"
	"time"

	"h2lab/internal/base/numfmt"
)

// Text returns a function that prints events as text, one line each.
func Text(w io.Writer, r Rule) func(Event) error {
	return func(e Event) error {
		_, err := io.WriteString(w, line(e, r))
		return err
	}
}

func line(e Event, r Rule) string {
	at := e.At.Format("15:04:05")
	switch e.Kind {
	case Started:
		return fmt.Sprintf("%s is %s\nalarm: below %s requests a new connection, %d of them or more in %v\n\n%-8s "+
			"%12s %12s %16s %8s\n",
			e.URL, e.Source, numfmt.Measured(r.MinRatio), r.MinNew, r.Window, "time", "requests/s", "new conn/s",
			"requests a new", "active")
	case Measured:
		return row(at, e.Interval)
	case Alarmed:
		return fmt.Sprintf("%s ALARM connections are wasted: %s (below %s)\n", at, e.Evidence,
			numfmt.Measured(e.Evidence.MinRatio))
	case Cleared:
		return fmt.Sprintf("%s cleared: %s\n", at, e.Evidence)
	case Over:
		return summary(e.Summary, r)
	}
	return fmt.Sprintf("%s %s: %s\n", at, e.Kind, e.Text)
}

func row(at string, i *Interval) string {
	perNew, active, mark := "-", "-", ""
	if i.PerNew != nil {
		perNew = numfmt.Measured(*i.PerNew)
	}
	if i.Active != nil {
		active = numfmt.Count(*i.Active)
	}
	if i.AtLimit != nil && *i.AtLimit > 0 {
		mark += fmt.Sprintf("  %s at the limit", numfmt.Things(*i.AtLimit, "request"))
	}
	if i.AtAge != nil && *i.AtAge > 0 {
		mark += fmt.Sprintf("  %s at the maximum age", numfmt.Things(*i.AtAge, "connection"))
	}
	if i.AlarmIsRaised {
		mark += "  !"
	}
	return fmt.Sprintf("%s %12s %12s %16s %8s%s\n", at, numfmt.Whole(i.RequestsPerS), numfmt.Measured(i.NewPerS),
		perNew, active, mark)
}

// summary ends with the cause, the change and the next step.
func summary(s *Summary, r Rule) string {
	out := fmt.Sprintf("\n%s: %s, %s", time.Duration(s.Seconds*1e9).Round(time.Second),
		numfmt.Things(s.Requests, "request"), numfmt.Things(s.New, "new connection"))
	if s.PerNew != nil {
		out += fmt.Sprintf(", %s requests each", numfmt.Measured(*s.PerNew))
	}
	out += "\n"
	if s.Restarts > 0 {
		out += fmt.Sprintf("server restarts: %d\n", s.Restarts)
	}
	if s.GoneFor > 0 {
		out += fmt.Sprintf("not reachable for %.0f s\n", s.GoneFor)
	}
	switch {
	case s.Alarms > 0 && s.Raised:
		out += fmt.Sprintf("alarms: %d, the last one is up; the worst window: %s\n%s\n", s.Alarms, s.Worst, s.says(r))
	case s.Alarms > 0:
		out += fmt.Sprintf("alarms: %d, none is up; the worst window: %s\n%s\n", s.Alarms, s.Worst, s.says(r))
	case s.New == 0:
		out += "No connection was opened.\n"
	default:
		out += "No alarm: each new connection brought enough requests, or too few connections were opened to judge.\n"
	}
	for _, c := range s.Changes {
		out += "change: " + c.Title() + "\n    " + strings.ReplaceAll(c.Line, "\n", "\n    ") + "\n"
	}
	return out + "next: " + s.Next + "\n"
}
