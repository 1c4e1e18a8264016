package watch

import (
	"fmt"
	"io"
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
		return fmt.Sprintf("%s ALARM connections are burnt: %s (below %s)\n", at, e.Evidence,
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
	if i.AlarmIsRaised {
		mark += "  !"
	}
	return fmt.Sprintf("%s %12s %12s %16s %8s%s\n", at, numfmt.Whole(i.RequestsPerS), numfmt.Measured(i.NewPerS),
		perNew, active, mark)
}

// summary ends with what to do next.
func summary(s *Summary, r Rule) string {
	out := fmt.Sprintf("\n%s: %s, %s", time.Duration(s.Seconds*1e9).Round(time.Second),
		numfmt.Things(s.Requests, "request"), numfmt.Things(s.New, "new connection"))
	if s.PerNew != nil {
		out += fmt.Sprintf(", %s requests each", numfmt.Measured(*s.PerNew))
	}
	out += "\n"
	if s.Restarts > 0 {
		out += fmt.Sprintf("started again: %d times\n", s.Restarts)
	}
	if s.GoneFor > 0 {
		out += fmt.Sprintf("gone: %.0f s\n", s.GoneFor)
	}
	switch {
	case s.Alarms > 0 && s.Raised:
		out += fmt.Sprintf("alarms: %d, the last one still up; the worst window: %s\n", s.Alarms, s.Worst)
	case s.Alarms > 0:
		out += fmt.Sprintf("alarms: %d, none up; the worst window: %s\n", s.Alarms, s.Worst)
	case s.New == 0:
		return out + "No connection was opened, so nothing was burnt.\nnext: watch for longer, under load: --for 10m\n"
	default:
		return out + "No alarm: connections are used as they should be, or too few are opened to matter.\nnext: " +
			"h2lab probe https://HOST/   # asks the server for its limit\n"
	}
	if r.Limit > 0 {
		return out + fmt.Sprintf("change: keepalive_requests %d;   # in http{} or server{}, and keepalive_time 1h; "+
			"bounds the age\n"+
			"next: h2lab logs ACCESS_LOG   # do connections end at exactly %d? (it gives the log_format that is "+
			"needed)\n", max(100*r.Limit, 100_000), r.Limit)
	}
	return out + "Clients either meet a request limit, or leave after few requests: counters can't tell which.\n" +
		"next: h2lab logs ACCESS_LOG   # do connections end at one number? (it gives the log_format that is needed)\n"
}
