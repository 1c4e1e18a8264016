package accesslog

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/field/output"
)

// page collects lines in the user's language. Writing to it can't fail.
type page struct {
	strings.Builder
	in output.Translate
}

// columnOfValues is how many columns the labels have, width those of a line.
const columnOfValues, width = 35, 100

// line writes a sentence as a line.
func (p *page) line(format string, args ...any) { p.WriteString(p.say(format, args...) + "\n") }

func (p *page) say(format string, args ...any) string { return p.in.Say(fmt.Sprintf(format, args...)) }

// row writes a label, which may be indented, and a value.
func (p *page) row(label, format string, args ...any) { p.labelled(label, p.say(format, args...)) }

func (p *page) labelled(label, value string) {
	p.WriteString(text.Pad(p.in.Say(label), columnOfValues) + value + "\n")
}

// wrapped writes sentences after a prefix.
func (p *page) wrapped(prefix, content string) {
	p.WriteString(text.Hanging(p.in.Say(prefix), "", p.in.Say(content), width) + "\n")
}

// WriteText writes the result as text: facts, what they mean, what to change, what to do next.
func (o *Result) WriteText(w io.Writer, in output.Translate) error {
	p := page{in: in}
	p.facts(o)
	p.distribution(o)
	p.limit(o)
	p.times(o)
	p.minutes(o)
	p.failures(o)
	for _, warning := range o.Warnings {
		p.WriteString(in.Say("note: ") + in.Say(warning) + "\n")
	}
	p.WriteString("\n")
	for _, s := range o.Verdict.Says {
		p.wrapped("", s)
	}
	for _, s := range o.Verdict.WouldTell {
		p.wrapped("would tell: ", s)
	}
	for _, c := range o.Verdict.Changes {
		p.WriteString(text.Hanging(in.Say("change: "), "", c.TitleIn(in), width) + "\n")
		for line := range strings.SplitSeq(c.Line, "\n") {
			p.WriteString("    " + line + "\n")
		}
	}
	for _, s := range o.Verdict.Next {
		p.WriteString(in.Say("next: ") + in.Command(s) + "\n")
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *page) facts(o *Result) {
	said := p.in.Say(text.Things(o.Requests, "request"))
	if o.From != nil {
		said += p.in.Say(", ") + p.say("%s to %s UTC (%s)", clockTime(*o.From), o.To.UTC().Format("15:04:05"),
			lasting(o.To.Sub(*o.From).Seconds()))
	}
	p.WriteString(strings.Join(o.Files, " ") + p.in.Say(": ") + said + "\n")
	p.line("format: %s", o.Format)
	if o.Malformed > 0 {
		p.line("not of the format: %s; the first is line %d of %s: %q", text.Things(o.Malformed, "line"),
			o.FirstMalformed.Number, o.FirstMalformed.File, o.FirstMalformed.Text)
	}
	p.WriteString("\n")
	p.row("connections that carried requests", "%s", text.Count(o.Connections))
	if o.BeganBefore != nil && *o.BeganBefore > 0 {
		p.row("  begun before the log", "%s", text.Count(*o.BeganBefore))
	}
	if o.OpenAtEnd > 0 {
		p.row("  perhaps open at the end", "%s", text.Count(o.OpenAtEnd))
	}
	if o.Opened != nil {
		p.opened(o.Opened)
	}
	if o.Restarts > 0 {
		p.row("server restarts", "%s (the serials began again)", text.Things(o.Restarts, "time"))
	}
}

func (p *page) opened(o *Opened) {
	const label = "connections without a request"
	switch {
	case o.Exact || o.EmptyAtLeast == o.EmptyAtMost && o.UpstreamAttempts != nil:
		p.row(label, "%s of %s opened (%s)", text.Count(o.EmptyAtMost), text.Count(o.AtMost), percent(o.EmptyShare))
	case o.UpstreamAttempts != nil && o.EmptyAtLeast < o.EmptyAtMost:
		p.row(label, "%s to %s (serials without a line; the server's own connections to upstreams have serials too)",
			text.Count(o.EmptyAtLeast), text.Count(o.EmptyAtMost))
	default:
		p.row(label, "at most %s of %s (%s): serials without a line; the server's own", text.Count(o.EmptyAtMost),
			text.Count(o.AtMost), percent(o.EmptyShare))
		p.row("", "connections to upstreams have serials too; if it has none: --no-upstreams")
	}
}

// barWidth is the width of the longest bar, labels that of their labels.
const barWidth, labels = 30, 20

func (p *page) distribution(o *Result) {
	d := o.PerConnection
	of := "all connections, ended or not"
	if d.Of == "ended" {
		of = fmt.Sprintf("%s that ended", text.Things(d.Connections, "connection"))
	}
	p.row("requests a connection", "p50 %s, p90 %s, max %s (%s)", text.Count(d.P50), text.Count(d.P90),
		text.Count(d.Max), of)
	var most uint64
	for _, b := range d.Histogram {
		most = max(most, b.Connections)
	}
	for _, b := range d.Histogram {
		label := text.Count(b.From)
		if b.To != b.From {
			label += " to " + text.Count(b.To)
			if b.To == mostOrdinal {
				label = text.Count(b.From) + " or more"
			}
		}
		mark := ""
		if o.Limit != nil && b.From == o.Limit.Requests && b.To == b.From {
			mark = "  <- " + p.in.Say(o.Limit.name())
		}
		label = p.in.Say(label)
		bar := strings.Repeat("#", int((b.Connections*barWidth+most-1)/most))
		fmt.Fprintf(p, "  %s%s  %-*s %s%s\n", strings.Repeat(" ", max(0, labels-text.Columns(label))), label, barWidth, bar,
			text.Count(b.Connections), mark)
	}
	if len(o.Protocols) > 1 || len(o.Protocols) == 1 && o.Protocols[0].Protocol != Unknown.String() {
		for _, r := range o.Protocols {
			at := ""
			if r.EndedAtLimit != nil {
				at = p.in.Say(", ") + p.say("%s ended at %s", text.Count(*r.EndedAtLimit), o.Limit.name())
			}
			p.WriteString("  " + text.Pad(p.in.Say(r.Protocol), 8) + " " + p.say("%s on %s: p50 %s, p90 %s, max %s",
				text.Things(r.Requests, "request"), text.Things(r.Connections, "connection"), text.Count(r.P50),
				text.Count(r.P90), text.Count(r.Max)) + at + "\n")
		}
	}
}

func (p *page) limit(o *Result) {
	if o.Limit == nil {
		return
	}
	l := o.Limit
	if l.UpTo > l.Requests {
		p.row(fmt.Sprintf("ended at %s to %s", text.Count(l.Requests), text.Count(l.UpTo)), "%s",
			text.Things(l.EndedExactly, "connection"))
	} else {
		p.row("ended at exactly "+text.Count(l.Requests), "%s", text.Things(l.EndedExactly, "connection"))
	}
	if l.RenewalsPerMinute != nil {
		p.row("such ends a minute", "%s", figures(*l.RenewalsPerMinute))
	}
	if l.UsedUpP50S != nil {
		p.row("each after", "%s (median), %s (the fastest tenth)", l.about(*l.UsedUpP50S),
			l.about(*l.UsedUpP10S))
	}
	if l.Beyond > 0 {
		p.row("carried more", "%s (another server block, with another limit?)",
			text.Things(l.Beyond, "connection"))
	}
}

// name is what the number is called: a limit only if the server ends the connections.
func (l *Limit) name() string {
	if l.EndedBy == byServer {
		return "the limit"
	}
	return "that number"
}

// times are the ages, silences and moments at which connections end.
func (p *page) times(o *Result) {
	if a := o.Age; a != nil {
		p.row("lasted "+fromTo(a.FromS, a.ToS), "%s of %s", text.Count(a.Connections),
			text.Things(a.Of, "connection"))
	}
	if i := o.Idle; i != nil {
		p.row("silences before the next request", "%s at most on the same connection, %s at least before a new one",
			lasting(i.LongestReusedS), lasting(i.ShortestRenewedS))
	}
	for _, r := range o.Reloads[:min(len(o.Reloads), fewMinutes)] {
		p.row("ended together", "%s at %s", text.Things(r.Connections, "connection"), clockTime(r.At))
	}
	for _, c := range o.HealthChecks[:min(len(o.HealthChecks), fewMinutes)] {
		p.row("health checks", "%s by %q, every %s", text.Things(c.Connections, "connection"), c.Agent,
			lasting(c.EveryS))
	}
}

// fewMinutes is how many minutes each list shows.
const fewMinutes = 3

func (p *page) minutes(o *Result) {
	if o.Minutes == nil || len(o.Minutes.MostNew) == 0 {
		return
	}
	heads := []string{"worst minutes", "requests", "new", "opened at most", "renewals", "requests a new one"}
	for i, head := range heads {
		heads[i] = p.in.Say(head)
	}
	p.columns(heads[0], heads[1:]...)
	shown := map[int64]bool{}
	for _, list := range [][]Minute{o.Minutes.MostNew, o.Minutes.LowestRatio} {
		for _, m := range list[:min(fewMinutes, len(list))] {
			if shown[m.At.Unix()] {
				continue
			}
			shown[m.At.Unix()] = true
			renewals := "-"
			if m.Renewals != nil {
				renewals = text.Count(*m.Renewals)
			}
			p.columns("  "+m.At.Format("2006-01-02 15:04"), text.Count(m.Requests), text.Count(m.New),
				text.Count(m.OpenedAtMost), renewals, figures(m.PerNew))
		}
	}
}

// columns writes a line of the table of minutes.
func (p *page) columns(first string, cells ...string) {
	p.WriteString(text.Pad(first, 31))
	for i, columns := range []int{12, 11, 16, 11, 20} {
		p.WriteString(strings.Repeat(" ", max(0, columns-text.Columns(cells[i]))) + cells[i])
	}
	p.WriteString("\n")
}

func (p *page) failures(o *Result) {
	e := o.Errors
	if e == nil || e.Status499+e.Status5xx == 0 {
		return
	}
	near := ""
	switch {
	case e.Near499 != nil:
		near = p.in.Say("; ") + p.say("%s and %s of them within a second of a renewal, as are %s of all seconds",
			text.Count(*e.Near499), text.Count(*e.Near5xx), percent(*e.NearSeconds))
	case e.NearSeconds != nil:
		near = p.in.Say("; ") + p.say("%s of all seconds are within a second of a renewal, so errors near one prove "+
			"nothing",
			percent(*e.NearSeconds))
	}
	p.labelled("answers 499 and 5xx", p.say("%s and %s", text.Count(e.Status499), text.Count(e.Status5xx))+near)
	if len(o.Flags) == 0 {
		return
	}
	names := make([]string, 0, len(o.Flags))
	for name := range o.Flags {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", name, text.Count(o.Flags[name]))
	}
	p.row("Envoy's response flags", "%s", strings.Join(names[:min(8, len(names))], ", "))
}

const fewMissing = 0.01

// warn adds warnings about what may make the result wrong.
func (r *reading) warn() {
	o, c := &r.out, r.count
	add := func(format string, args ...any) { o.Warnings = append(o.Warnings, fmt.Sprintf(format, args...)) }
	switch {
	case o.MixedServers:
		add("lines of several servers are mixed: different connections have the same number. Read each server's log " +
			"by itself, or add $hostname to the log_format")
	case o.Exactness.WrittenTwice > inARow*o.Restarts: // a restart leaves a few such connections
		add("%s more lines than requests: two access_log to one file, log_subrequest, or lines of several servers",
			have(o.Exactness.WrittenTwice, "has", "have"))
	}
	if missing := float64(o.Exactness.NotLogged); c.ordinal && missing > fewMissing*(float64(o.Requests)+missing) {
		add("%s of connections in this log have no line in it (another access_log, access_log off, or if=); a "+
			"connection counts as empty if none of its requests has a line",
			text.Things(o.Exactness.NotLogged, "request"))
	}
	if o.Exactness.StandTwice > 0 || !c.ordinal {
		add("%s", o.Exactness.Note)
	}
	if o.Exactness.LateLines > 0 {
		add("%s came too late to be counted in their minute", text.Things(o.Exactness.LateLines, "line"))
	}
	if !c.timed {
		add("the lines have no time, so rates are unknown and all connections may be open")
	}
	if o.Warnings == nil {
		o.Warnings = []string{}
	}
}

// have formats a number of connections with the matching verb.
func have(n uint64, one, several string) string {
	if n == 1 {
		return "1 connection " + one
	}
	return text.Things(n, "connection") + " " + several
}

// figures formats a measured value with two significant digits.
func figures(v float64) string { return text.Digits(v, 2) }

func percent(v float64) string {
	if v > 0 && v < 0.01 {
		return "under 1 %"
	}
	if v < 1 && v > 0.99 {
		return "over 99 %"
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

// lasting formats a duration in seconds for people.
func lasting(s float64) string {
	switch {
	case s < 1:
		return figures(s*1000) + " ms"
	case s < 120:
		return figures(s) + " s"
	case s < 2*3600:
		return figures(s/60) + " min"
	}
	return figures(s/3600) + " h"
}

func clockTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
