package watch

import (
	"fmt"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/field/cure"
)

// The causes of the connections' ends, as far as counters show them.
const (
	ByLimit   = "limit"
	ByAge     = "age"
	ByBoth    = "limit-and-age"
	ByIdle    = "idle"
	NotServer = "not-the-server" // its counters exclude its own limits
	Unknown   = "unknown"
)

// idleShare is the share of new connections from which on idle ends are the cause.
const idleShare = 0.5

// cause derives what ends the connections from the counters of their ends.
func (s *Summary) cause() string {
	if s.AtLimit == nil || s.AtAge == nil {
		return Unknown
	}
	switch limit, age := *s.AtLimit > 0, *s.AtAge > 0; {
	case limit && age:
		return ByBoth
	case limit:
		return ByLimit
	case age:
		return ByAge
	case s.Idle != nil && float64(*s.Idle) >= idleShare*float64(s.New):
		return ByIdle
	}
	return NotServer
}

// servers are the names of package cure, by kind of page.
var servers = map[string]string{StubStatus: cure.Nginx, NginxExporter: cure.Nginx, Ingress: cure.IngressNginx,
	EnvoyStats: cure.Envoy, EnvoyMetrics: cure.Envoy}

// conclude adds cause, change and next step to the summary.
func (w *watching) conclude() {
	s, server := &w.summary, servers[w.source.kind]
	s.Changes = []cure.Change{}
	c := s.cause()
	if s.Alarms == 0 && c != ByLimit && c != ByBoth { // a limit is worth a change before it wastes connections
		s.Next = fmt.Sprintf("%s --for %s   # for longer, under load", w.o.Again, plain(max(10*time.Minute, 4*w.o.For)))
		if s.perhaps = w.perhaps(); s.perhaps {
			s.Next = fmt.Sprintf("%s --limit %d%s   # if the server's limit is nginx's default", w.o.Again, usualLimit,
				w.lasting())
		}
		return
	}
	limit := int(w.o.Rule.Limit)
	s.Cause = c
	switch s.Cause {
	case ByLimit:
		s.Changes = cure.RequestLimit(server, limit, false)
	case ByAge:
		s.Changes = cure.Age(server)
	case ByBoth:
		s.Changes = append(cure.RequestLimit(server, limit, false), cure.Age(server)...)
	case ByIdle:
		s.Changes = cure.Idle(server)
	case Unknown:
		if limit > 0 {
			s.Changes = cure.RequestLimit(server, limit, false)
		}
	}
	s.Next = cure.Show(server)
	if server == cure.Envoy {
		s.Next = cure.EnvoyAt(w.source.host())
	}
	if s.Cause == Unknown && server == cure.Nginx {
		s.Next = "h2lab logs /var/log/nginx/access.log   # why do connections end?"
	}
}

// usualLimit is nginx's default since 1.19.10.
const usualLimit = 1000

var atUsualLimit = Rule{Limit: usualLimit}.Complete()

// perhaps reports whether the worst window would be an alarm if nginx had its default limit, which the user didn't
// name.
func (w *watching) perhaps() bool {
	worst, rule := w.summary.Worst, w.alarm.rule
	return servers[w.source.kind] != cure.Envoy && rule.Limit == 0 && rule.MinRatio == UsualRatio && worst != nil &&
		worst.New >= rule.MinNew && worst.PerNew != nil && *worst.PerNew < atUsualLimit.MinRatio
}

// lasting is the user's --for.
func (w *watching) lasting() string {
	if w.o.For == 0 {
		return ""
	}
	return " --for " + plain(w.o.For)
}

// plain is a duration without the zeros of Go's own text: 10m, not 10m0s.
func plain(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// says is the cause in a sentence.
func (s *Summary) says(r Rule) string {
	switch s.Cause {
	case ByLimit:
		return fmt.Sprintf("Connections end at a request limit: %s at or above it.", text.Things(*s.AtLimit, "request"))
	case ByAge:
		return fmt.Sprintf("Connections end at an age: %s reached it. A higher request limit changes nothing here.",
			text.Things(*s.AtAge, "connection"))
	case ByBoth:
		return fmt.Sprintf("Connections end at a request limit (%s at or above it) and at an age (%s).",
			text.Things(*s.AtLimit, "request"), text.Things(*s.AtAge, "connection"))
	case ByIdle:
		return fmt.Sprintf("Connections end after a silence: %s were idle for too long. A higher request limit changes "+
			"nothing here.", text.Things(*s.Idle, "connection"))
	case NotServer:
		return "The server ends no connection at a limit or an age: its clients do, or something before it."
	}
	content := "The counters don't show why connections end: at a request limit, at an age, after a silence, or because " +
		"clients leave. h2lab logs shows it."
	if len(s.Changes) > 0 {
		content += fmt.Sprintf(" If connections end at exactly %s requests:", text.Count(r.Limit))
	}
	return content
}

// Command is the command line of a watch, without its duration.
func Command(url string, t Trust, o Options) string {
	words := "h2lab watch " + text.ShellWord(url)
	if o.Rule.Limit > 0 {
		words += fmt.Sprintf(" --limit %d", o.Rule.Limit)
	}
	if o.Rule.MinRatio > 0 {
		words += fmt.Sprintf(" --min-ratio %v", o.Rule.MinRatio)
	}
	if o.Rule.MinNew != UsualMinNew {
		words += fmt.Sprintf(" --min-new %d", o.Rule.MinNew)
	}
	if o.Rule.Window != UsualWindow {
		words += fmt.Sprintf(" --window %v", o.Rule.Window)
	}
	if t.CAFile != "" {
		words += " --ca " + text.ShellWord(t.CAFile)
	}
	if t.Insecure {
		words += " --insecure"
	}
	return words
}
