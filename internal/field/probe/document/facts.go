package document

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/notes"
	"h2lab/internal/base/numfmt"
	"h2lab/internal/facts"
	"h2lab/internal/field/family"
)

// factLines are the facts of an Endpoint as text. Requests that may have run come first: to send
// them again may be wrong.
func factLines(e facts.Endpoint, v family.Verdict) []string {
	lines := []string{e.URL}
	if v.MayHaveRun != "" {
		lines = append(lines, wrapped("careful", []string{v.MayHaveRun})...)
	}
	lines = append(lines, wrapped("limit", []string{v.Limit})...)
	if e.Ending != nil {
		lines = append(lines, wrapped("ending", []string{endingText(e.Ending, e.Protocol)})...)
	}
	if e.Crossing != nil {
		lines = append(lines, crossingLines(*e.Crossing, len(e.Ending.Goaways) > 0)...)
	}
	lines = append(lines, lifetimeLines(e)...)
	lines = append(lines, wrapped("server", []string{serverText(e)})...)
	lines = append(lines, fact("answers", statusText(e.Statuses)))
	if len(e.Settings) > 0 {
		lines = append(lines, wrapped("settings", settingsText(e.Settings))...)
	}
	lines = append(lines, wrapped("tls", tlsText(e.TLS))...)
	lines = append(lines, fact("cost", costText(e)))
	for _, w := range e.Warnings {
		lines = append(lines, wrapped("note", []string{notes.InEnglish(w)})...)
	}
	return lines
}

func fact(name, text string) string { return fmt.Sprintf("  %-10s %s", name, text) }

// wrapped breaks a long fact into lines that fit a terminal.
func wrapped(name string, parts []string) []string {
	const width = 86
	var out []string
	line := ""
	for _, word := range strings.Fields(strings.Join(parts, ", ")) {
		if line != "" && len(line)+1+len(word) > width {
			out = append(out, fact(name, line))
			name, line = "", ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(out, fact(name, line))
}

func serverText(e facts.Endpoint) string {
	protocol := map[facts.Protocol]string{facts.H2: "HTTP/2", facts.H1: "HTTP/1.1"}[e.Protocol]
	text := fmt.Sprintf("%s, %s over %s, %s key", e.Address, protocol, e.TLS.Version, cmp.Or(e.TLS.Key, "unknown"))
	if !e.TLS.Verified {
		text += " (not verified)"
	}
	if e.Server != "" {
		text += fmt.Sprintf(", Server header %q", e.Server)
	}
	return text
}

func endingText(e *facts.Ending, p facts.Protocol) string {
	how := map[string]string{
		facts.EndedByGoaway:          "one GOAWAY with the last stream that is processed",
		facts.EndedByTwoStages:       "two GOAWAYs: the first announces the end, the second has the last stream",
		facts.EndedByFutureID:        "one GOAWAY with an id above all streams sent so far",
		facts.EndedByClose:           "closed without a GOAWAY",
		facts.EndedByReset:           "TCP reset without a GOAWAY",
		facts.EndedByConnectionClose: "Connection: close",
		facts.EndedByError:           "GOAWAY with an error",
	}[e.How]
	if len(e.Goaways) > 0 {
		g := e.Goaways[len(e.Goaways)-1]
		how += fmt.Sprintf(" (%d, %s", g.LastStreamID, g.Code)
		if g.Debug != "" {
			how += fmt.Sprintf(", %q", g.Debug)
		}
		how += ")"
	}
	if e.GoawayFirst != nil && p == facts.H2 {
		how += map[bool]string{true: ", before the last answer", false: ", after the last answer"}[*e.GoawayFirst]
	}
	return how + closeText(e)
}

func closeText(e *facts.Ending) string {
	what := map[string]string{"fin": "TCP FIN", "rst": "TCP RST"}[e.Closed]
	switch {
	case e.Closed == "" && (len(e.Goaways) > 0 || e.How == facts.EndedByConnectionClose):
		return "; TCP stays open"
	case e.CloseMS != nil:
		return fmt.Sprintf("; %s %s later", what, milliseconds(*e.CloseMS))
	case what != "":
		return "; " + what
	}
	return ""
}

func milliseconds(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// crossingLines describe what happened to the streams in flight at the end of the connection.
func crossingLines(x facts.Crossing, goaway bool) []string {
	var lines []string
	beyond := "in flight, above it"
	if !goaway {
		beyond = "in flight"
	}
	for _, f := range []struct {
		name, of string
		fates    facts.Fates
	}{
		{"in flight", "in flight, up to the GOAWAY's last-stream-id", x.Covered},
		{"", beyond, x.InFlight},
		{"after", "sent after the GOAWAY was read", x.After},
	} {
		if f.fates.Sent > 0 {
			lines = append(lines, fact(f.name, fmt.Sprintf("%d %s: %s", f.fates.Sent, f.of, fateText(f.fates))))
		}
	}
	return lines
}

func fateText(f facts.Fates) string {
	var out []string
	for _, x := range []struct {
		n    int
		what string
	}{
		{f.Answered, "answered"},
		{f.Refused, "refused (REFUSED_STREAM)"},
		{f.Reset, "reset"},
		{f.Dropped, "never answered"},
	} {
		switch {
		case x.n == f.Sent:
			return "all " + x.what
		case x.n > 0:
			out = append(out, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return strings.Join(out, ", ")
}

func lifetimeLines(e facts.Endpoint) []string {
	var lines []string
	for _, l := range []struct {
		name string
		life *facts.Lifetime
	}{{"unused", e.Idle}, {"light use", e.Age}} {
		switch {
		case l.life == nil:
		case l.life.Seconds == nil:
			lines = append(lines, fact(l.name, fmt.Sprintf("still open after %gs", l.life.WatchedS)))
		default:
			lines = append(lines, wrapped(l.name, []string{fmt.Sprintf("ended after %.1fs: %s", *l.life.Seconds,
				endingText(l.life.Ending, e.Protocol))})...)
		}
	}
	return lines
}

func statusText(statuses map[string]int) string {
	var out []string
	for _, s := range slices.Sorted(maps.Keys(statuses)) {
		out = append(out, fmt.Sprintf("%d with status %s", statuses[s], s))
	}
	return strings.Join(out, ", ")
}

func settingsText(all []facts.Setting) []string {
	var out []string
	for _, s := range all {
		out = append(out, fmt.Sprintf("%s %d", strings.TrimPrefix(s.Name, "SETTINGS_"), s.Value))
	}
	return out
}

func tlsText(t facts.EndpointTLS) []string {
	var out []string
	if t.ConnectMS != nil {
		out = append(out, "connect "+milliseconds(*t.ConnectMS))
	}
	for _, v := range t.Versions {
		text := v.Version
		if v.HandshakeMS != nil {
			text += " handshake " + milliseconds(*v.HandshakeMS)
		}
		switch {
		case v.Resumes == nil:
		case *v.Resumes && v.ResumedMS != nil:
			text += ", resumed in " + milliseconds(*v.ResumedMS)
		case !*v.Resumes:
			text += ", does not resume"
		}
		out = append(out, text)
	}
	return out
}

func costText(e facts.Endpoint) string {
	text := fmt.Sprintf("%s on %s in %s",
		numfmt.Plain(e.Requests, "request"), numfmt.Plain(e.Connections, "connection"), milliseconds(e.ElapsedS*1000))
	if e.StreamsPerS != nil {
		text += fmt.Sprintf("; %.0f a second on one", *e.StreamsPerS)
	}
	return text
}
