package storyreport

import (
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// Short returns the story for a terminal.
func Short(in Input, colour bool) string {
	if in.Result == nil {
		return "there is no result to report on\n"
	}
	p := newPage(in)
	return p.Page.Short(p.headline(), parts.ShortTable{
		Heads:  []string{"", "req/s", "p50 ms", "p99 ms", "failed", "ran again", "accepted", "expected"},
		Widths: []int{36, 7, 7, 7, 8, 9, 8, 8}, Left: 1,
		Rows: func(room int) (out []parts.ShortRow, omitted int) {
			for _, r := range p.every() {
				switch {
				case !r.measured():
				case len(out) == room:
					omitted++
				default:
					out = append(out, p.shortRow(r))
				}
			}
			return out, omitted
		}}, parts.Or(p.in.Path, "results/"+p.run.ID+"/"+Name(translations.English)), colour)
}

// shortRow marks a row with failures or repeated requests.
func (p *page) shortRow(r row) parts.ShortRow {
	failed, again := r.middle(failedShare), r.middle(twice)
	ill := failed != nil && *failed > 0 || again != nil && *again > 0
	return parts.ShortRow{Ill: ill, Well: !ill && again != nil,
		Cells: []string{p.Say(r.label), parts.Whole(r.middle(goodput)), parts.Measure(r.middle(p50)),
			parts.Measure(r.middle(p99)), parts.Percent(failed), parts.Whole(again), parts.Whole(r.middle(accepted)),
			parts.Whole(r.middle(expected))}}
}
