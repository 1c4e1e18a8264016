package clientreport

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/chart"
)

// field is the chart: one row per client.
func (p *page) field() chart.Field {
	d := chart.Field{Words: p.Words(
		p.Say("chart.limit-requests-per", p.Plural(len(p.rows), "clients.clients"), whole(p.run.Limit)),
		p.Say("chart.left-connections-line-ten"), p.spoken()),
		XLabel: p.Say("chart.connections-accepted-per"), One: p.Say("chart.per-renewal"),
		Columns: []string{p.Say("chart.failed"), p.Say("chart.ran-twice"), p.Say("chart.hung")}}
	for _, e := range p.grouped() {
		panel := chart.FieldPanel{Name: p.Language.Worded(e.title)}
		for _, l := range e.libraries {
			for _, r := range l.all() {
				panel.Rows = append(panel.Rows, p.fieldRow(r))
			}
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
