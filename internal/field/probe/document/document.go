// Package document builds the answer of h2lab probe as text and as one JSON document: the facts
// about a server, what they mean, what a renewal costs and what to change.
package document

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http2"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/family"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe"
)

// Schema is the version of Document.
const Schema = 2

// Document is the answer that --json prints.
type Document struct {
	SchemaVersion int            `json:"schema_version"`
	Endpoint      facts.Endpoint `json:"endpoint"`
	Verdict       family.Verdict `json:"verdict"`
	Price         *Price         `json:"price"`
}

// New judges an endpoint and computes the cost of its limit. An error concerns only the cost; the
// rest of the document is complete.
func New(e facts.Endpoint, t Traffic, q output.Question) (Document, error) {
	d := Document{SchemaVersion: Schema, Endpoint: e, Verdict: family.Judge(e)}
	d.Verdict.Next = texts.Sentence(next(e, d.Verdict, q))
	var err error
	if d.Price, err = t.price(e, d.Verdict.Cause); err != nil {
		err = fmt.Errorf("no price of a renewal: %w", err)
	}
	return d, err
}

// WriteJSON writes the document, its notes as sentences.
func (d Document) WriteJSON(w io.Writer) error {
	d.Endpoint.Warnings, d.Endpoint.Budget.Stopped = slices.Clone(d.Endpoint.Warnings), texts.Worded(d.Endpoint.Budget.Stopped)
	for i, n := range d.Endpoint.Warnings {
		d.Endpoint.Warnings[i] = texts.Worded(n)
	}
	return output.JSON(w, d)
}

// WriteText writes the facts, then what they mean, then what to change.
func (d Document) WriteText(w io.Writer, l texts.Language) error {
	p := page{Language: l}
	p.facts(d.Endpoint, d.Verdict)
	p.judgement(d.Endpoint, d.Verdict, d.Price)
	_, err := io.WriteString(w, p.String())
	return err
}

// Announcement says what the probe will send, and to whom, in lines.
func Announcement(i probe.Intent) []facts.Text {
	rate := facts.T("probe.as-fast")
	if i.Rate > 0 {
		rate = facts.T("probe.at-most", fmt.Sprintf("%g", i.Rate))
	}
	out := []facts.Text{facts.T("probe.sending", i.MaxStreams, i.Method, rate, i.URL, i.Address)}
	if i.Connections > 1 {
		out = append(out, facts.T("probe.opening"))
	}
	if !i.Safe() {
		out = append(out, facts.T("probe.may-change", i.Method))
	}
	return out
}

// judgement says what the facts mean, what they cost, what to change, and what to do next.
func (p *page) judgement(e facts.Endpoint, v family.Verdict, price *Price) {
	p.line("")
	p.fact(facts.T("probe.this-is"), familyText(v))
	label := facts.T("probe.it-means")
	for _, m := range v.Meaning {
		p.fact(label, facts.Text(m))
		label = facts.Text{}
	}
	for _, w := range v.Warnings {
		p.fact(facts.T("probe.but"), facts.Text(w))
	}
	p.price(price, e, v.Cause)
	for _, c := range v.Changes {
		p.line("")
		p.fact(facts.T("probe.change"), c.Title())
		for line := range strings.SplitSeq(strings.TrimRight(p.In(facts.Text(c.Line)), "\n"), "\n") {
			p.line("      " + line)
		}
	}
	if next := facts.Text(v.Next); !next.IsZero() {
		p.line("\n" + p.In(facts.T("probe.next", next)))
	}
}

// familyText names the family and the evidence, the strongest first.
func familyText(v family.Verdict) facts.Text {
	if v.Sure == family.Unknown || len(v.Candidates) == 0 {
		return facts.T("probe.unknown")
	}
	var evidence []facts.Text
	for _, e := range v.Candidates[0].For {
		if len(evidence) < 3 {
			evidence = append(evidence, facts.Text(e.Says))
		}
	}
	sure := map[string]facts.Text{family.Certain: facts.T("probe.certain"), family.Likely: facts.T("probe.likely"),
		family.Possible: facts.T("probe.possible")}[v.Sure]
	return facts.Join("join.colon", inBrackets(facts.Text(v.Name), sure), facts.Join("join.semicolon", evidence...))
}

func inBrackets(before, within facts.Text) facts.Text {
	return facts.Join("", before, facts.T("family.in-brackets", within))
}

// page collects lines in the user's language.
type page struct {
	strings.Builder
	texts.Language
}

// indent is the column where facts begin, width that of a line.
const indent, width = 13, 99

func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

func (p *page) fact(label, content facts.Text) {
	first := "  " + text.Pad(p.In(label), indent-3) + " "
	p.line(text.Hanging(first, strings.Repeat(" ", indent), p.In(content), width))
}

func listed(parts ...facts.Text) facts.Text { return facts.Join("join.comma", parts...) }

// next is the command to run next.
func next(e facts.Endpoint, v family.Verdict, q output.Question) facts.Text {
	const further = 10
	ask := func(verb string, options ...string) facts.Text { return facts.Verbatim(q.Command(verb, options...)) }
	c, b := v.Cause, e.Budget
	stopped := b.Stopped.Key
	refused := stopped == "stop.resets" && b.Stopped.Args[1] == http2.ErrCodeRefusedStream.String()
	switch {
	case strings.HasPrefix(v.Family, "grpc") && q.Method == "GET" && (b.AskedUpTo == 0 ||
		slices.ContainsFunc(e.Asked, cause.CalledUnused)): // some reset anything but a call, or count only calls as use
		q.Method, q.Header = "POST", append(q.Header, "content-type: application/grpc", "te: trailers")
		return ask("probe")
	case c.Kind == cause.None && b.Stopped.IsZero() && b.AskedUpTo > 0 && b.AskedUpTo*further <= cure.Requests(0):
		return ask("probe", fmt.Sprintf("--max-streams %d", rounded(b.AskedUpTo*further)))
	case c.Kind == cause.None && stopped == "stop.time":
		return ask("probe", "--max-time 10m")
	case stopped == "stop.too-much" || stopped == "stop.too-large":
		q.Method = "HEAD"
		return ask("probe")
	case stopped == "stop.resets" && !refused:
		return ask("trace")
	case slices.Contains(c.Fits, cause.Idle) && e.Idle == nil && !q.HTTP1:
		return ask("probe", "--idle 1m")
	case stopped == "stop.endless":
		q.URL = otherPath(q.URL)
		return ask("probe")
	case stopped == "stop.unanswered" || stopped == "stop.one-unanswered":
		return ask("probe", "--timeout 1m")
	case !b.Stopped.IsZero():
		return ask("probe", "--rate 20")
	case c.Kind == cause.Unclear:
		return ask("probe", "--connections 4")
	case len(v.Among) > 1 && e.Idle == nil && e.Protocol == facts.H2: // that tells several of them apart
		return ask("probe", "--idle 1m")
	case c.Kind == cause.Neither, c.Kind == cause.Several, c.Kind == cause.Failure, c.Unanswered, v.Find == "":
		return ask("trace")
	case c.Kind == cause.Count && strings.HasPrefix(v.Find, "grep "):
		return facts.T("join.remark", v.Find, facts.T("probe.not-set"))
	}
	return facts.Verbatim(v.Find)
}

// otherPath is a URL of the same server with a path that most servers answer at once, be it with 404.
func otherPath(from string) string {
	u, err := url.Parse(from)
	if err != nil {
		return from
	}
	path := "/"
	if u.Path == "" || u.Path == "/" {
		path = "/robots.txt"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String()
}

// rounded rounds up to one significant digit.
func rounded(n int) int {
	unit := 1
	for n/unit >= 10 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}
