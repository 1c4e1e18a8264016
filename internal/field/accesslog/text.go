package accesslog

import (
	"fmt"
	"io"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
)

// page collects lines in the user's language. Writing to it can't fail.
type page struct {
	strings.Builder
	texts.Language
}

// columnOfValues is how many columns the labels have, width those of a line.
const columnOfValues, width = 35, 100

// line writes a text as a line.
func (p *page) line(t facts.Text) { p.WriteString(p.In(t) + "\n") }

// row writes a label and a value. An indented one is a part of the row above.
func (p *page) row(label, value facts.Text)      { p.labelled("", label, value) }
func (p *page) indented(label, value facts.Text) { p.labelled("  ", label, value) }
func (p *page) labelled(before string, label, value facts.Text) {
	p.WriteString(text.Pad(before+p.In(label), columnOfValues) + p.In(value) + "\n")
}

// WriteText writes the result as text: facts, what they mean, what to change, what to do next.
func (o *Result) WriteText(w io.Writer, l texts.Language) error {
	p := page{Language: l}
	p.facts(o)
	p.distribution(o)
	p.limit(o)
	p.times(o)
	p.minutes(o)
	p.failures(o)
	for _, warning := range o.Warnings {
		p.line(facts.T("logs.note", facts.Text(warning)))
	}
	p.WriteString("\n")
	for _, s := range o.Verdict.Says {
		p.WriteString(text.Hanging("", "", p.In(facts.Text(s)), width) + "\n")
	}
	for _, s := range o.Verdict.WouldTell {
		p.WriteString(text.Hanging(p.In(facts.T("logs.would-tell")), "", p.In(facts.Text(s)), width) + "\n")
	}
	for _, c := range o.Verdict.Changes {
		p.WriteString(text.Hanging(p.In(facts.T("logs.change")), "", p.In(c.Title()), width) + "\n")
		p.WriteString("    " + strings.ReplaceAll(p.In(facts.Text(c.Line)), "\n", "\n    ") + "\n")
	}
	for _, s := range o.Verdict.Next {
		p.line(facts.T("logs.next", facts.Text(s)))
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *page) facts(o *Result) {
	files := strings.Join(o.Files, " ")
	if o.From == nil {
		p.line(facts.T("logs.files", files, requestsText(o.Requests)))
	} else {
		p.line(facts.T("logs.files-timed", files, requestsText(o.Requests), clockTime(*o.From), o.To.UTC().Format("15:04:05"),
			lasting(o.To.Sub(*o.From).Seconds())))
	}
	p.line(facts.T("logs.format", facts.Text(o.Format)))
	if b := o.FirstMalformed; o.Malformed > 0 {
		p.line(facts.T("logs.malformed", linesText(o.Malformed), int(b.Number), b.File, quoted(b.Text)))
	}
	p.WriteString("\n")
	p.row(facts.T("logs.label-connections"), count(o.Connections))
	if o.BeganBefore != nil && *o.BeganBefore > 0 {
		p.indented(facts.T("logs.label-before"), count(*o.BeganBefore))
	}
	if o.OpenAtEnd > 0 {
		p.indented(facts.T("logs.label-open"), count(o.OpenAtEnd))
	}
	if o.Opened != nil {
		p.opened(o.Opened)
	}
	if o.Restarts > 0 {
		p.row(facts.T("logs.label-restarts"), facts.T("logs.restarts", text.Count(o.Restarts)))
	}
}

func (p *page) opened(o *Opened) {
	label, most, of := facts.T("logs.label-empty"), text.Count(o.EmptyAtMost), text.Count(o.AtMost)
	switch {
	case o.Exact || o.EmptyAtLeast == o.EmptyAtMost && o.UpstreamAttempts != nil:
		p.row(label, facts.T("logs.empty", most, of, percent(o.EmptyShare)))
	case o.UpstreamAttempts != nil && o.EmptyAtLeast < o.EmptyAtMost:
		p.row(label, facts.T("logs.empty-from-to", text.Count(o.EmptyAtLeast), most))
	default:
		p.row(label, facts.T("logs.empty-at-most", most, of, percent(o.EmptyShare)))
		p.row(facts.Text{}, facts.T("logs.empty-upstreams"))
	}
}

// barWidth is the width of the longest bar, labels that of their labels.
const barWidth, labels = 30, 20

func (p *page) distribution(o *Result) {
	d := o.PerConnection
	of := facts.T("logs.all-connections")
	if d.Of == "ended" {
		of = facts.T("logs.that-ended", connectionsText(d.Connections))
	}
	p.row(facts.T("logs.label-per-connection"), facts.T("logs.quantiles-of", text.Count(d.P50), text.Count(d.P90), text.Count(d.Max), of))
	var most uint64
	for _, b := range d.Histogram {
		most = max(most, b.Connections)
	}
	for _, b := range d.Histogram {
		label := p.In(b.label())
		mark := ""
		if o.Limit != nil && b.From == o.Limit.Requests && b.To == b.From {
			mark = "  <- " + p.In(o.Limit.name())
		}
		bar := strings.Repeat("#", int((b.Connections*barWidth+most-1)/most))
		fmt.Fprintf(p, "  %s%s  %-*s %s%s\n", strings.Repeat(" ", max(0, labels-text.Columns(label))), label, barWidth, bar,
			text.Count(b.Connections), mark)
	}
	if len(o.Protocols) == 1 && o.Protocols[0].Protocol == Unknown.String() {
		return
	}
	for _, r := range o.Protocols {
		name := facts.Verbatim(r.Protocol)
		if r.Protocol == Unknown.String() {
			name = facts.T("logs.unknown")
		}
		row := facts.Join("join.comma", requestsText(r.Requests), connectionsText(r.Connections))
		p.WriteString("  " + text.Pad(p.In(name), 8) + " " + p.In(row) + "\n")
	}
}

func (b Bar) label() facts.Text {
	switch {
	case b.To == mostOrdinal:
		return facts.T("logs.or-more", text.Count(b.From))
	case b.To != b.From:
		return facts.T("logs.from-to", text.Count(b.From), text.Count(b.To))
	}
	return count(b.From)
}

func (p *page) limit(o *Result) {
	l := o.Limit
	if l == nil {
		return
	}
	label := facts.T("logs.label-ended-at", text.Count(l.Requests))
	if l.UpTo > l.Requests {
		label = facts.T("logs.label-ended-from-to", text.Count(l.Requests), text.Count(l.UpTo))
	}
	p.row(label, connectionsText(l.EndedExactly))
	if l.RenewalsPerMinute != nil {
		p.row(facts.T("logs.label-rate"), facts.Verbatim(figures(*l.RenewalsPerMinute)))
	}
	if l.UsedUpP50S != nil {
		p.row(facts.T("logs.label-after"), facts.T("logs.median-and-fastest", l.about(*l.UsedUpP50S), l.about(*l.UsedUpP10S)))
	}
	if l.Beyond > 0 {
		p.row(facts.T("logs.label-more"), facts.T("logs.another-limit", connectionsText(l.Beyond)))
	}
}

// name is what the number is called: a limit only if the server ends the connections.
func (l *Limit) name() facts.Text {
	if l.EndedBy == byServer {
		return facts.T("logs.the-limit")
	}
	return facts.T("logs.that-number")
}

// times are the ages, silences and moments at which connections end.
func (p *page) times(o *Result) {
	if a := o.Age; a != nil {
		p.row(facts.T("logs.label-lasted", fromTo(a.FromS, a.ToS)),
			facts.T("logs.of-connections", text.Count(a.Of), text.Count(a.Connections)))
	}
	if i := o.Idle; i != nil {
		p.row(facts.T("logs.label-silences"), facts.T("logs.silences", lasting(i.LongestReusedS), lasting(i.ShortestRenewedS)))
	}
	for _, r := range o.Reloads[:min(len(o.Reloads), fewMinutes)] {
		p.row(facts.T("logs.label-together"), facts.T("logs.together-at", connectionsText(r.Connections), clockTime(r.At)))
	}
	for _, c := range o.HealthChecks[:min(len(o.HealthChecks), fewMinutes)] {
		p.row(facts.T("logs.label-checks"), facts.T("logs.checks-by", connectionsText(c.Connections), quoted(c.Agent), lasting(c.EveryS)))
	}
}

// fewMinutes is how many rows a list shows.
const fewMinutes = 3

func (p *page) minutes(o *Result) {
	if o.Minutes == nil || len(o.Minutes.MostNew) == 0 {
		return
	}
	t := text.RightTable(p)
	fmt.Fprintln(t, strings.ReplaceAll(p.In(facts.T("logs.heads")), "|", "\t")+"\t")
	for _, m := range o.Minutes.MostNew[:min(fewMinutes, len(o.Minutes.MostNew))] {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", m.At.Format("2006-01-02 15:04"), text.Count(m.Requests), text.Count(m.New),
			text.Count(m.OpenedAtMost), figures(m.PerNew))
	}
	_ = t.Flush() // into memory
}

func (p *page) failures(o *Result) {
	e := o.Errors
	if e == nil || e.Status499+e.Status5xx == 0 {
		return
	}
	p.row(facts.T("logs.label-failures"), facts.T("logs.and", text.Count(e.Status499), text.Count(e.Status5xx)))
}

const fewMissing = 0.01

// warn adds warnings about what may make the result wrong.
func (r *reading) warn() {
	o, c, e := &r.out, r.count, r.out.Exactness
	add := func(t facts.Text) { o.Warnings = append(o.Warnings, texts.Sentence(t)) }
	switch {
	case o.MixedServers:
		add(facts.T("logs.warn-mixed"))
	case e.WrittenTwice > inARow*o.Restarts: // a restart leaves a few such connections
		add(facts.T("logs.warn-twice", text.Count(e.WrittenTwice)))
	}
	if missing := float64(e.NotLogged); c.ordinal && missing > fewMissing*(float64(o.Requests)+missing) {
		add(facts.T("logs.warn-missing", requestsText(e.NotLogged)))
	}
	if !c.ordinal {
		add(facts.Text(e.Note))
	}
	if !c.timed {
		add(facts.T("logs.warn-untimed"))
	}
	if o.Warnings == nil {
		o.Warnings = []texts.Sentence{}
	}
}

func requestsText(n uint64) facts.Text    { return facts.T("logs.requests", text.Count(n)) }
func connectionsText(n uint64) facts.Text { return facts.T("logs.connections", text.Count(n)) }
func linesText(n uint64) facts.Text       { return facts.T("logs.lines", text.Count(n)) }

func count[N text.Integer](n N) facts.Text { return facts.Verbatim(text.Count(n)) }

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// figures formats a measured value with two significant digits.
func figures(v float64) string { return text.Digits(v, 2) }

func percent(v float64) facts.Text {
	if v > 0 && v < 0.01 {
		return facts.T("logs.under", "1 %")
	}
	if v < 1 && v > 0.99 {
		return facts.T("logs.over", "99 %")
	}
	return facts.Verbatim(fmt.Sprintf("%.0f %%", 100*v))
}

func lasting(s float64) facts.Text { return output.Lasting(s, 2) }

func clockTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
