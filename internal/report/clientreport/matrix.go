package clientreport

import (
	"cmp"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/parts"
)

// columns of the matrix.
func (p *page) columns() []parts.Column[*clientverdicts.Row] {
	number := func(of func(*clientverdicts.Figures) *int64) func(*clientverdicts.Row) string {
		return func(r *clientverdicts.Row) string {
			if r.At == nil {
				return dash
			}
			return known(of(r.At))
		}
	}
	return []parts.Column[*clientverdicts.Row]{
		parts.Label("clients.client", "clients.library-variant-linked", p.clientCell),
		parts.Label("clients.what", "clients.short-description",
			func(r *clientverdicts.Row) string { return escape(or(p.Worded(r.Program.Says), dash)) }),
		parts.Label("clients.verdict", "clients.worst-verdict-applies-below", p.verdictCell),
		parts.Figure("clients.limit", "clients.limit-row-measured-runs", "", limitCell),
		parts.Figure("clients.accepted-renewals", "clients.connections-server-accepted", "", acceptedCell),
		parts.Figure("clients.failed-per-1000", "clients.failed-requests-per-1000", "",
			func(r *clientverdicts.Row) string { return measure(r.At.PerThousand()) }),
		parts.Figure("run.duplicates", "clients.executed-distinct-requests", "",
			number(func(f *clientverdicts.Figures) *int64 { return f.Duplicates })),
		parts.Figure("clients.unanswered", "clients.executed-succeeded", "",
			number(func(f *clientverdicts.Figures) *int64 { return f.Unanswered })),
		parts.Figure("clients.hung", "clients.calls-did-not-settle", "",
			number(func(f *clientverdicts.Figures) *int64 { return f.Hung })),
		parts.Figure("clients.goodput", "clients.successful-requests-per", "", relativeCell),
		parts.Label("clients.envoy", "clients.verdict-envoy-same-limit",
			func(r *clientverdicts.Row) string { return p.verdict(r.SavedByEnvoy) }),
		parts.Label("clients.cure", "clients.variant-sound-run-linked", p.cureCell),
	}
}

func (p *page) clientCell(r *clientverdicts.Row) string {
	if p.root(r) != r {
		return "↳" + space + link(r.Client)
	}
	return link(r.Client)
}

func (p *page) verdictCell(r *clientverdicts.Row) string {
	out := "**" + p.verdict(r.Verdict) + "**"
	for _, v := range r.Also {
		out += "<br>" + p.verdict(v)
	}
	return out
}

func acceptedCell(r *clientverdicts.Row) string {
	if r.At == nil || r.At.Accepted == nil && r.At.Renewals == nil {
		return dash
	}
	return known(r.At.Accepted) + space + "/" + space + known(renewals(r.At))
}

func limitCell(r *clientverdicts.Row) string {
	if r.At == nil {
		return dash
	}
	return whole(r.Limit)
}

func relativeCell(r *clientverdicts.Row) string {
	if r.Relative == nil {
		return dash
	}
	return "×" + space + measure(r.Relative)
}

// matrix writes one table per ecosystem, with a line for each library.
func (p *page) matrix() {
	p.Heading("clients.matrix")
	if len(p.rows) == 0 {
		p.Print("page.nothing-measured")
		return
	}
	p.Print("clients.measured-unless-column-says", code(p.low), dash)
	for _, rows := range p.ecosystems() {
		p.Printf("\n### %s\n\n", escape(p.Worded(p.ecosystem(rows[0]))))
		p.Table(parts.Rows(&p.Page, p.columns(), rows, func(r *clientverdicts.Row) string {
			return escape(p.Worded(p.library(r)))
		}, nil))
	}
}

// field is the chart: one row per client.
func (p *page) field() chart.Field {
	d := chart.Field{Words: p.Words(
		p.Say("chart.limit-requests-per", p.Plural(len(p.rows), "clients.clients"), whole(p.Run.Limit)),
		p.Say("chart.left-connections-line-ten"), p.spoken()),
		XLabel: p.Say("chart.connections-accepted-per"), One: p.Say("chart.per-renewal"),
		Columns: []string{p.Say("chart.failed"), p.Say("chart.ran-twice"), p.Say("chart.hung")}}
	for _, rows := range p.ecosystems() {
		panel := chart.Panel[chart.FieldRow]{Name: p.Worded(p.ecosystem(rows[0]))}
		for _, r := range rows {
			panel.Rows = append(panel.Rows, p.fieldRow(r))
		}
		d.Panels = append(d.Panels, panel)
	}
	return d
}

func (p *page) fieldRow(r *clientverdicts.Row) chart.FieldRow {
	out := chart.FieldRow{Label: string(r.Client), Word: p.In(r.Verdict.Words()), Mood: mood(r.Verdict),
		Counts: make([]*float64, 3)}
	f := r.At
	switch {
	case r.Verdict == clientverdicts.Unsupported:
		out.Note = p.Say("chart.unsupported-here")
		return out
	case f == nil:
		return out
	case f.Trials == 0:
		out.Note = p.Say("chart.program-failed")
		return out
	case f.Accepted != nil && *f.Accepted == 0 && r.Protocol == facts.H1:
		out.Note = p.Say("chart.none-accepted-http-11")
	case f.Accepted != nil && *f.Accepted == 0:
		out.Note = p.Say("chart.none-accepted")
	default:
		out.Value = f.PerRenewal()
		if out.Value == nil && f.Accepted != nil {
			out.Note = p.Say("chart.accepted-none-renewed", whole(*f.Accepted))
		}
	}
	out.Counts = []*float64{float(&f.Failed), float(f.Duplicates), float(f.Hung)}
	return out
}

func float(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(max(0, *n)))
}

func mood(v clientverdicts.Verdict) chart.Mood {
	switch {
	case v == clientverdicts.Sound:
		return chart.Well
	case v.Faulty():
		return chart.Ill
	}
	return chart.Untold
}

// ecosystem and library name the groups that a row is in: those of the client that it is meant to cure.
func (p *page) ecosystem(r *clientverdicts.Row) string {
	of := p.root(r).Program
	return cmp.Or(of.Title, of.Ecosystem, "Others")
}

func (p *page) library(r *clientverdicts.Row) string {
	root := p.root(r)
	return cmp.Or(root.Program.Library, string(root.Client))
}

// ecosystems are the rows of each ecosystem as the page shows them: by library, cures under the client that they are meant
// to cure, all in the order of first occurrence.
func (p *page) ecosystems() (out [][]*clientverdicts.Row) {
	first := map[[3]string]int{}
	groups := func(r *clientverdicts.Row) (all [3][3]string) {
		e, l := p.ecosystem(r), p.library(r)
		return [3][3]string{{e}, {e, l}, {e, l, string(p.root(r).Client)}}
	}
	rows := p.where(func(*clientverdicts.Row) bool { return true })
	for i, r := range rows {
		for _, g := range groups(r) {
			if _, known := first[g]; !known && p.root(r) == r {
				first[g] = i
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b *clientverdicts.Row) int {
		of, other := groups(a), groups(b)
		for i := range of {
			if d := cmp.Compare(first[of[i]], first[other[i]]); d != 0 {
				return d
			}
		}
		switch {
		case p.root(a) == a && p.root(b) != b:
			return -1
		case p.root(a) != a && p.root(b) == b:
			return 1
		}
		return 0
	})
	for i, r := range rows {
		if i == 0 || p.ecosystem(r) != p.ecosystem(rows[i-1]) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}

// root returns the client that a row is meant to cure, or the row itself. It follows a chain of
// cures to its beginning; a cycle ends where it began.
func (p *page) root(r *clientverdicts.Row) *clientverdicts.Row {
	seen := []*clientverdicts.Row{}
	for at := r; ; {
		next := p.at[at.Program.Cures]
		switch {
		case next == nil || next == at:
			return at
		case slices.Contains(seen, next):
			return r
		}
		seen = append(seen, at)
		at = next
	}
}

// The formats of numbers and texts that all reports share.
var (
	measure, seconds, or = parts.Measure, parts.Seconds, parts.Or
	escape, code, block  = parts.Escape, parts.Code, parts.Block
	prose                = markdown.Prose
)

const (
	dash  = parts.Dash
	space = parts.Space
)

// symbols are printed before the verdicts. They differ in shape, so that no reader depends on
// colour.
var symbols = map[clientverdicts.Verdict]string{
	clientverdicts.Sound: "✓", clientverdicts.Stampedes: "≫", clientverdicts.Loses: "✗", clientverdicts.Duplicates: "‼",
	clientverdicts.Hangs:   "∞",
	clientverdicts.Crashes: "†", clientverdicts.Lies: "≠", clientverdicts.Inconclusive: "?",
	clientverdicts.Unsupported: "∅",
}

// verdict returns a verdict with its symbol.
func (p *page) verdict(v clientverdicts.Verdict) string {
	if v == "" {
		return dash
	}
	return symbols[v] + space + strings.ReplaceAll(p.In(v.Words()), " ", space)
}

// whole writes a count with thousands separators.
func whole[T int | int64](v T) string { return text.Count(v) }

func known(v *int64) string { return text.Maybe(v, text.Count[int64]) }

// link links to a client's section.
func link(c facts.Client) string { return "[" + code(string(c)) + "](#" + anchor(c) + ")" }

// anchor is the id of a client's section, stable as long as its name is. The prefix distinguishes
// it from the anchors that GitHub makes of headings.
func anchor(c facts.Client) string { return "client-" + markdown.Anchor(string(c)) }

// place is the target of link.
func place(c facts.Client) string { return `<a id="` + anchor(c) + `"></a>` }

func (p *page) links(cs []facts.Client) string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = link(c)
	}
	return p.Language.List(out)
}

func clientsOf(rows []*clientverdicts.Row) []facts.Client {
	out := make([]facts.Client, len(rows))
	for i, r := range rows {
		out[i] = r.Client
	}
	return out
}

// speaks returns a protocol's name in prose.
func speaks(p facts.Protocol) string {
	if p == facts.H1 {
		return "HTTP/1.1"
	}
	return "HTTP/2"
}

// sentence adds a capital at the beginning and a full stop at the end.
func (p *page) sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if p.Translated() {
		return strings.TrimRight(s, "。.") + "。"
	}
	r := []rune(s)
	s = strings.ToUpper(string(r[0])) + string(r[1:])
	if !strings.ContainsAny(s[len(s)-1:], ".!?:") {
		s += "."
	}
	return s
}
