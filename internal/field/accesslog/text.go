package accesslog

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"h2lab/internal/base/numfmt"
)

// page collects lines. Writing to it can't fail.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// WriteText writes the result as text: facts, what they mean, what to change, what to do next.
func (o *Result) WriteText(w io.Writer) error {
	var p page
	p.facts(o)
	p.distribution(o)
	p.limit(o)
	p.times(o)
	p.minutes(o)
	p.failures(o)
	for _, warning := range o.Warnings {
		p.line("note: %s", warning)
	}
	p.line("")
	for _, s := range o.Verdict.Says {
		p.wrapped(s)
	}
	for _, s := range o.Verdict.WouldTell {
		p.wrapped("would tell: " + s)
	}
	for _, c := range o.Verdict.Changes {
		p.wrapped("change: " + c.Title())
		for line := range strings.SplitSeq(c.Line, "\n") {
			p.line("    %s", line)
		}
	}
	for _, s := range o.Verdict.Next {
		p.line("next: %s", s)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *page) facts(o *Result) {
	span := ""
	if o.From != nil {
		span = fmt.Sprintf(", %s to %s UTC (%s)", clockTime(*o.From), o.To.UTC().Format("15:04:05"),
			lasting(o.To.Sub(*o.From).Seconds()))
	}
	p.line("%s: %s%s", strings.Join(o.Files, " "), numfmt.Things(o.Requests, "request"), span)
	p.line("format: %s", o.Format)
	if o.Malformed > 0 {
		p.line("not of the format: %s; the first is line %d of %s: %q", numfmt.Things(o.Malformed, "line"),
			o.FirstMalformed.Number, o.FirstMalformed.File, o.FirstMalformed.Text)
	}
	p.line("")
	p.line("connections that carried requests  %s", numfmt.Count(o.Connections))
	if o.BeganBefore != nil && *o.BeganBefore > 0 {
		p.line("  begun before the log             %s", numfmt.Count(*o.BeganBefore))
	}
	if o.OpenAtEnd > 0 {
		p.line("  perhaps open at the end          %s", numfmt.Count(o.OpenAtEnd))
	}
	if o.Opened != nil {
		p.opened(o.Opened)
	}
	if o.Restarts > 0 {
		p.line("server restarts                    %s (the serials began again)",
			numfmt.Things(o.Restarts, "time"))
	}
}

func (p *page) opened(o *Opened) {
	switch {
	case o.Exact || o.EmptyAtLeast == o.EmptyAtMost && o.UpstreamAttempts != nil:
		p.line("connections without a request      %s of %s opened (%s)", numfmt.Count(o.EmptyAtMost),
			numfmt.Count(o.AtMost), percent(o.EmptyShare))
	case o.UpstreamAttempts != nil && o.EmptyAtLeast < o.EmptyAtMost:
		p.line("connections without a request      %s to %s (serials without a line; nginx's own connections to "+
			"upstreams have serials too)", numfmt.Count(o.EmptyAtLeast), numfmt.Count(o.EmptyAtMost))
	default:
		p.line("connections without a request      at most %s of %s (%s): serials without a line; nginx's own",
			numfmt.Count(o.EmptyAtMost), numfmt.Count(o.AtMost), percent(o.EmptyShare))
		p.line("                                   connections to upstreams have serials too; if it has none: " +
			"--no-upstreams")
	}
}

const barWidth = 30

func (p *page) distribution(o *Result) {
	d := o.PerConnection
	of := "all connections, ended or not"
	if d.Of == "ended" {
		of = fmt.Sprintf("%s that ended", numfmt.Things(d.Connections, "connection"))
	}
	p.line("requests a connection              p50 %s, p90 %s, max %s (%s)", numfmt.Count(d.P50), numfmt.Count(d.P90),
		numfmt.Count(d.Max), of)
	var most uint64
	for _, b := range d.Histogram {
		most = max(most, b.Connections)
	}
	for _, b := range d.Histogram {
		label := numfmt.Count(b.From)
		if b.To != b.From {
			label += " to " + numfmt.Count(b.To)
			if b.To == mostOrdinal {
				label = numfmt.Count(b.From) + " or more"
			}
		}
		mark := ""
		if o.Limit != nil && b.From == o.Limit.Requests && b.To == b.From {
			mark = "  <- " + o.Limit.name()
		}
		p.line("  %20s  %-*s %s%s", label, barWidth, strings.Repeat("#", int((b.Connections*barWidth+most-1)/most)),
			numfmt.Count(b.Connections), mark)
	}
	if len(o.Protocols) > 1 || len(o.Protocols) == 1 && o.Protocols[0].Protocol != Unknown.String() {
		for _, r := range o.Protocols {
			at := ""
			if r.EndedAtLimit != nil {
				at = fmt.Sprintf(", %s ended at %s", numfmt.Count(*r.EndedAtLimit), o.Limit.name())
			}
			p.line("  %-8s %s on %s: p50 %s, p90 %s, max %s%s", r.Protocol, numfmt.Things(r.Requests, "request"),
				numfmt.Things(r.Connections, "connection"), numfmt.Count(r.P50), numfmt.Count(r.P90),
				numfmt.Count(r.Max), at)
		}
	}
}

func (p *page) limit(o *Result) {
	if o.Limit == nil {
		return
	}
	l := o.Limit
	if l.UpTo > l.Requests {
		p.line("ended at %-25s %s", numfmt.Count(l.Requests)+" to "+numfmt.Count(l.UpTo),
			numfmt.Things(l.EndedExactly, "connection"))
	} else {
		p.line("ended at exactly %-17s %s", numfmt.Count(l.Requests), numfmt.Things(l.EndedExactly, "connection"))
	}
	if l.RenewalsPerMinute != nil {
		p.line("such ends a minute                 %s", figures(*l.RenewalsPerMinute))
	}
	if l.UsedUpP50S != nil {
		p.line("after                              %s (median), %s (the fastest tenth)", l.about(*l.UsedUpP50S),
			l.about(*l.UsedUpP10S))
	}
	if l.Beyond > 0 {
		p.line("carried more                       %s (another server block, with another limit?)",
			numfmt.Things(l.Beyond, "connection"))
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
		p.line("lasted %-27s %s of %s", fromTo(a.FromS, a.ToS), numfmt.Count(a.Connections),
			numfmt.Things(a.Of, "connection"))
	}
	if i := o.Idle; i != nil {
		p.line("silences before the next request   %s at most on the same connection, %s at least before a new one",
			lasting(i.LongestReusedS), lasting(i.ShortestRenewedS))
	}
	for _, r := range o.Reloads[:min(len(o.Reloads), fewMinutes)] {
		p.line("ended together                     %s at %s", numfmt.Things(r.Connections, "connection"), clockTime(r.At))
	}
	for _, c := range o.HealthChecks[:min(len(o.HealthChecks), fewMinutes)] {
		p.line("health checks                      %s by %q, every %s", numfmt.Things(c.Connections, "connection"), c.Agent,
			lasting(c.EveryS))
	}
}

// fewMinutes is how many minutes each list shows.
const fewMinutes = 3

func (p *page) minutes(o *Result) {
	if o.Minutes == nil || len(o.Minutes.MostNew) == 0 {
		return
	}
	p.line("worst minutes                      requests        new  opened at most   renewals  requests a new one")
	shown := map[int64]bool{}
	for _, list := range [][]Minute{o.Minutes.MostNew, o.Minutes.LowestRatio} {
		for _, m := range list[:min(fewMinutes, len(list))] {
			if shown[m.At.Unix()] {
				continue
			}
			shown[m.At.Unix()] = true
			renewals := "-"
			if m.Renewals != nil {
				renewals = numfmt.Count(*m.Renewals)
			}
			p.line("  %-29s %11s %10s %15s %10s %19s", m.At.Format("2006-01-02 15:04"), numfmt.Count(m.Requests),
				numfmt.Count(m.New), numfmt.Count(m.OpenedAtMost), renewals, figures(m.PerNew))
		}
	}
}

func (p *page) failures(o *Result) {
	e := o.Errors
	if e == nil || e.Status499+e.Status5xx == 0 {
		return
	}
	near := ""
	switch {
	case e.Near499 != nil:
		near = fmt.Sprintf("; %s and %s of them within a second of a renewal (%s of all seconds are)",
			numfmt.Count(*e.Near499), numfmt.Count(*e.Near5xx), percent(*e.NearSeconds))
	case e.NearSeconds != nil:
		near = fmt.Sprintf("; %s of all seconds are near a renewal, so nearness shows nothing",
			percent(*e.NearSeconds))
	}
	p.line("answers 499 and 5xx                %s and %s%s", numfmt.Count(e.Status499), numfmt.Count(e.Status5xx), near)
	if len(o.Flags) == 0 {
		return
	}
	names := make([]string, 0, len(o.Flags))
	for name := range o.Flags {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", name, numfmt.Count(o.Flags[name]))
	}
	p.line("Envoy's response flags             %s", strings.Join(names[:min(8, len(names))], ", "))
}

// width is the maximum width of a line.
const width = 100

func (p *page) wrapped(text string) {
	n := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && n+1+len(word) > width:
			p.WriteByte('\n')
			n = 0
		case i > 0:
			p.WriteByte(' ')
			n++
		}
		p.WriteString(word)
		n += len(word)
	}
	p.WriteByte('\n')
}
