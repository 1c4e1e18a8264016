package clientreport

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/chart"
)

// field is the chart: one row per client.
func (p *page) field() chart.Field {
	d := chart.Field{Words: chart.Words{
		Title: fmt.Sprintf("%s at a limit of %s requests per connection", p.Plural(len(p.rows), clients),
			whole(p.run.Limit)),
		Subtitle: "Left: connections, each line ten times the one before. Right: requests that failed, ran twice, " +
			"hung; the verdict.",
		Desc: p.spoken(),
	}, XLabel: "connections accepted per renewal", One: "one per renewal",
		Columns: []string{"failed", "ran twice", "hung"}}
	for _, e := range p.grouped() {
		panel := chart.FieldPanel{Name: e.title}
		for _, l := range e.libraries {
			for _, r := range l.all() {
				panel.Rows = append(panel.Rows, fieldRow(r))
			}
		}
		d.Panels = append(d.Panels, panel)
	}
	return d
}

func fieldRow(r *clientverdicts.Row) chart.FieldRow {
	out := chart.FieldRow{Label: string(r.Client), Word: r.Verdict.Words(), Mood: mood(r.Verdict),
		Counts: make([]*float64, 3)}
	f := r.At
	switch {
	case r.Verdict == clientverdicts.Unsupported:
		out.Note = "unsupported here"
		return out
	case f == nil:
		out.Note = "not measured"
		return out
	case f.Trials == 0:
		out.Note = "the program failed"
		return out
	case f.Accepted != nil && *f.Accepted == 0:
		out.Note = "none accepted"
	default:
		out.Value = f.PerRenewal()
		if out.Value == nil && f.Accepted != nil {
			out.Note = whole(*f.Accepted) + " accepted, none renewed"
		}
	}
	if r.Protocol == facts.H1 && out.Value == nil && out.Note == "none accepted" {
		out.Note = "none accepted (HTTP/1.1)"
	}
	out.Counts = []*float64{float(&f.Failed), float(f.Duplicates), float(f.Hung)}
	return out
}

func float(n *int64) *float64 {
	if n == nil {
		return nil
	}
	v := float64(max(0, *n))
	return &v
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
