// Package document builds the answer of h2lab probe as text and as one JSON document: the facts
// about a server, what they mean, what a renewal costs and what to change.
package document

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"h2lab/internal/base/notes"
	"h2lab/internal/base/text"
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
	d.Verdict.Next = next(e, d.Verdict, q)
	var err error
	if d.Price, err = t.price(e, d.Verdict.Cause); err != nil {
		err = fmt.Errorf("no price of a renewal: %w", err)
	}
	return d, err
}

// WriteJSON writes the document, its notes as sentences.
func (d Document) WriteJSON(w io.Writer) error {
	d.Endpoint.Warnings = notes.Worded(d.Endpoint.Warnings)
	return output.JSON(w, d)
}

// WriteText writes the facts, then what they mean, then what to change.
func (d Document) WriteText(w io.Writer, in output.Translate) error {
	p := page{in: in}
	p.facts(d.Endpoint, d.Verdict)
	p.judgement(d.Endpoint, d.Verdict, d.Price)
	_, err := io.WriteString(w, p.String())
	return err
}

// Announcement says what the probe will send, and to whom.
func Announcement(i probe.Intent) string {
	rate := "as fast as it answers"
	if i.Rate > 0 {
		rate = fmt.Sprintf("at most %g a second", i.Rate)
	}
	s := fmt.Sprintf("h2lab: sending up to %d %s requests on a connection, %s, to %s (%s)", i.MaxStreams, i.Method, rate,
		i.URL, i.Address)
	if i.Connections > 1 {
		s += "\nh2lab: opening up to six connections, one after another, until it is clear what ends them; while the second " +
			"is open, two more carry a few requests"
	}
	if !i.Safe() {
		s += fmt.Sprintf("\nh2lab: %s may change something each time; you asked for it with --method", i.Method)
	}
	return s
}

// judgement says what the facts mean, what they cost, what to change, and what to do next.
func (p *page) judgement(e facts.Endpoint, v family.Verdict, price *Price) {
	p.line("")
	p.fact("this is", p.family(v))
	for i, m := range v.Meaning {
		name := "it means"
		if i > 0 {
			name = ""
		}
		p.said(name, m)
	}
	for _, w := range v.Warnings {
		p.said("but", w)
	}
	p.price(price, e, v.Cause)
	for _, c := range v.Changes {
		p.line("")
		p.fact("change", c.TitleIn(p.in))
		for line := range strings.SplitSeq(strings.TrimRight(c.Line, "\n"), "\n") {
			p.line("      " + line)
		}
	}
	if v.Next != "" {
		p.line("\n" + p.in.Say("next: ") + p.in.Command(v.Next))
	}
}

// family names the family and the evidence, the strongest first.
func (p *page) family(v family.Verdict) string {
	if v.Sure == family.Unknown || len(v.Candidates) == 0 {
		return p.in.Say("unknown: what was seen fits no server that this program knows")
	}
	var names, evidence []string
	for _, c := range v.Candidates[:len(v.Among)] {
		names = append(names, p.in.Say(c.Name))
	}
	text := strings.Join(names, p.in.Say("; or ")) + p.in.Say(" (") + p.in.Say(v.Sure) + p.in.Say(")")
	for _, e := range v.Candidates[0].For {
		if len(evidence) < 3 {
			evidence = append(evidence, p.in.Say(e.Says))
		}
	}
	if len(evidence) > 0 {
		text += p.in.Say(": ") + strings.Join(evidence, p.in.Say("; "))
	}
	return text
}

// page collects lines in the user's language.
type page struct {
	strings.Builder
	in output.Translate
}

// indent is the column where facts begin, width that of a line.
const indent, width = 13, 99

func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

func (p *page) say(format string, args ...any) string { return p.in.Say(fmt.Sprintf(format, args...)) }

// said writes a label and sentences, fact a label and a text that is in the user's language.
func (p *page) said(label, english string) { p.fact(label, p.in.Say(english)) }

func (p *page) fact(label, content string) {
	first := "  " + text.Pad(p.in.Say(label), indent-3) + " "
	p.line(text.Hanging(first, strings.Repeat(" ", indent), content, width))
}

func (p *page) listed(parts ...string) string { return strings.Join(parts, p.in.Say(", ")) }

// next is the command to run next.
func next(e facts.Endpoint, v family.Verdict, q output.Question) string {
	const further = 10
	switch c, b := v.Cause, e.Budget; {
	case strings.HasPrefix(v.Family, "grpc") && q.Method == "GET" && (b.AskedUpTo == 0 ||
		slices.ContainsFunc(e.Asked, cause.CalledUnused)): // some reset anything but a call, or count only calls as use
		q.Method, q.Header = "POST", append(q.Header, "content-type: application/grpc", "te: trailers")
		return q.Command("probe")
	case c.Kind == cause.None && b.Stopped == "" && b.AskedUpTo > 0 && b.AskedUpTo*further <= cure.Requests(0):
		return q.Command("probe", fmt.Sprintf("--max-streams %d", rounded(b.AskedUpTo*further)))
	case c.Kind == cause.None && strings.Contains(b.Stopped, "--max-time"):
		return q.Command("probe", "--max-time 10m")
	case strings.Contains(b.Stopped, "--method HEAD"):
		q.Method = "HEAD"
		return q.Command("probe")
	case strings.Contains(b.Stopped, "resets streams") && !strings.Contains(b.Stopped, "REFUSED_STREAM"):
		return q.Command("trace")
	case slices.Contains(c.Fits, cause.Idle) && e.Idle == nil && !q.HTTP1:
		return q.Command("probe", "--idle 1m")
	case strings.Contains(b.Stopped, "endless stream"):
		q.URL = otherPath(q.URL)
		return q.Command("probe")
	case strings.Contains(b.Stopped, "--timeout"):
		return q.Command("probe", "--timeout 1m")
	case b.Stopped != "":
		return q.Command("probe", "--rate 20")
	case c.Kind == cause.Unclear:
		return q.Command("probe", "--connections 4")
	case len(v.Among) > 1 && e.Idle == nil && e.Protocol == facts.H2: // that tells several of them apart
		return q.Command("probe", "--idle 1m")
	case c.Kind == cause.Neither, c.Kind == cause.Several, c.Kind == cause.Failure, c.Unanswered, v.Find == "":
		return q.Command("trace")
	case c.Kind == cause.Count && strings.HasPrefix(v.Find, "grep "):
		return v.Find + "   # no output: it isn't set there"
	}
	return v.Find
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
