package mattersreport

import (
	"fmt"
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/limitmap"
	"h2lab/internal/report/chart"
)

// cellOf is a cost on a map. A number within noise has a ~ before it.
func (k kind) cellOf(c limitmap.Cost) chart.HeatCell {
	v := k.value(c)
	if v == nil {
		return chart.HeatCell{Text: text.Unknown}
	}
	out := chart.HeatCell{Value: v, Text: k.text(*v), Calculated: c.Source == limitmap.Extrapolated,
		Unsure: k.by != uncertain && c.By(k.by) == limitmap.Unsure}
	if !k.told(c) {
		out.Text = noiseMark + " " + out.Text
	}
	return out
}

// panel is the map of one line and limit.
func (p *sheet) panel(k kind, l limitmap.Line, limit int) chart.HeatPanel {
	places := p.Of(l)
	out := chart.HeatPanel{Name: p.limitName(limit)}
	distances := limitmap.Distances(places)
	for _, d := range distances {
		out.Columns = append(out.Columns, distanceHead(d))
	}
	for _, backend := range limitmap.Backends(places) {
		out.Rows = append(out.Rows, text.Count(backend)+" ms")
		row := []chart.HeatCell{}
		for _, d := range distances {
			i := slices.IndexFunc(places, func(at limitmap.Place) bool {
				return at.Spot == limitmap.Spot{BackendMS: backend, Distance: d}
			})
			if i < 0 {
				row = append(row, chart.HeatCell{Text: text.Unknown})
				continue
			}
			row = append(row, k.cellOf(p.Cost(places[i], limit)))
		}
		out.Cells = append(out.Cells, row)
	}
	return out
}

func distanceHead(d facts.Distance) string {
	s := text.Number(d.RTTMS) + " ms"
	if d.JitterMS > 0 || d.LossPercent > 0 || d.MbitPerS > 0 {
		s += fmt.Sprintf(" (± %v, %v %%, %d Mbit/s)", d.JitterMS, d.LossPercent, d.MbitPerS)
	}
	return s
}

// heat is a picture of a number without its panels.
func (p *sheet) heat(k kind, by string, about string) chart.Heat {
	subtitle := p.Say(k.subtitle)
	if k.by != uncertain {
		subtitle = p.Say(k.subtitle, text.Count(p.High))
	}
	return chart.Heat{Words: p.Words(p.Say(by, p.Say(k.title)), subtitle+p.Say("join.sentences")+about,
		p.Say("chart.numbers-tables-below")), Classes: k.classes, Names: p.Says(k.names...)}
}

// maps draws the base line's maps, and the one over requests in flight.
func (p *sheet) maps() {
	base, ok := p.Base()
	p.Heading("matters.maps")
	if !ok || len(p.Map.Limits()) == 0 {
		p.Print("page.nothing-measured")
		return
	}
	p.Print("matters.rows-backends-time-columns", text.Capital(p.In(p.Client(base.Client))), p.In(p.Load(base)))
	for _, k := range kinds {
		h := p.heat(k, "chart.backend-round-trip", p.Say("chart.pair", text.Capital(p.plainClient(base.Client)), p.In(p.Load(base))))
		h.XLabel, h.YLabel = p.Say("chart.round-trip"), p.Say("chart.backend")
		for _, limit := range p.Map.Limits() {
			h.Panels = append(h.Panels, p.panel(k, base, limit))
		}
		p.Chart(k.id, p.Say(k.alt), h)
	}
	p.inFlight(base)
}

// inFlight draws maps over the requests in flight, at the places that were measured with several numbers.
func (p *sheet) inFlight(base limitmap.Line) {
	numbers, spots := p.Varied(base)
	if len(numbers) < 2 || len(spots) == 0 {
		return
	}
	for _, k := range kinds[:2] {
		h := p.heat(k, "chart.requests-flight", p.Say("chart.rows-backends-time-round"))
		h.XLabel, h.YLabel = p.Say("chart.requests-flight-2"), p.Say("chart.backend-rtt")
		for _, limit := range p.Map.Limits() {
			panel := chart.HeatPanel{Name: p.limitName(limit)}
			for _, n := range numbers {
				panel.Columns = append(panel.Columns, text.Count(n))
			}
			for _, s := range spots {
				panel.Rows = append(panel.Rows, fmt.Sprintf("%s, %s ms", text.Count(s.BackendMS), text.Number(s.RTTMS)))
				row := []chart.HeatCell{}
				for _, n := range numbers {
					l := base
					l.InFlight = n
					row = append(row, k.cellOf(p.Cost(limitmap.Place{Line: l, Spot: s}, limit)))
				}
				panel.Cells = append(panel.Cells, row)
			}
			h.Panels = append(h.Panels, panel)
		}
		p.Chart(k.id+"-in-flight", p.Say("matters.maps-requests-flight-limit"), h)
	}
}

// kind is a number that the maps show.
type kind struct {
	id string
	// The verb of subtitle is the high limit; a count, whose criterion is uncertain, has none.
	title, subtitle, alt string
	classes              []float64
	names                []string
	value                func(limitmap.Cost) *float64
	text                 func(float64) string
	// told reports whether the number is beyond noise; by is the criterion that decides whether a cell is hatched.
	told func(limitmap.Cost) bool
	by   limitmap.Criterion
}

func percentText(v float64) string {
	if v < 0.005 && v > -0.005 {
		return "0 %"
	}
	return text.Decimals(v*100, 0) + " %"
}

func msText(v float64) string {
	if v < 0 {
		return text.Digits(v, 2)
	}
	return "+" + text.Digits(v, 2)
}

func told(r *limitmap.Ratio) bool { return r != nil && r.Told }

// uncertain is no criterion: counts are certain.
const uncertain limitmap.Criterion = -1

// kinds are the maps, in the order of the page.
var kinds = []kind{
	{id: "lost-goodput", title: "matters.lost-goodput",
		subtitle: "chart.share-goodput-limit-lower",
		alt:      "matters.maps-lost-goodput-backend",
		classes:  []float64{limitmap.LostShare, 0.1, 0.2, 0.4, 0.6},
		names:    []string{"chart.below-5", "chart.5-10", "chart.10-20", "chart.20-40", "chart.40-60", "chart.60-more"},
		value:    limitmap.Cost.Lost, text: percentText,
		told: func(c limitmap.Cost) bool { return told(c.Goodput) },
		by:   limitmap.GoodputAlone},
	{id: "p99-ratio", title: "matters.p99-multiple",
		subtitle: "chart.99th-percentile-divided",
		alt:      "matters.maps-99th-percentile",
		classes:  []float64{1 + limitmap.AddedShare, 1.25, 1.5, 2, 4},
		names:    []string{"chart.below-11", "chart.11-125", "chart.125-15", "chart.15-2", "chart.2-4", "chart.4-more"},
		value: func(c limitmap.Cost) *float64 {
			if c.P99 == nil {
				return nil
			}
			return &c.P99.Value
		}, text: func(v float64) string { return text.Digits(v, 3) + " ×" },
		told: func(c limitmap.Cost) bool { return told(c.P99) },
		by:   limitmap.P99Alone},
	{id: "added-p99", title: "chart.added-p99-ms",
		subtitle: "chart.milliseconds-limit-adds",
		alt:      "matters.maps-milliseconds-added",
		classes:  []float64{1, 10, 30, 100, 300},
		names: []string{"chart.below-1-ms", "chart.1-10-ms", "chart.10-30-ms", "chart.30-100-ms",
			"chart.100-300-ms", "chart.300-ms-more"},
		value: func(c limitmap.Cost) *float64 { return c.AddedMS }, text: msText,
		told: func(c limitmap.Cost) bool { return told(c.P99) },
		by:   limitmap.P99Alone},
	{id: "dials", title: "chart.connections-accepted", subtitle: "chart.1-renewal-without-waste",
		alt:     "matters.maps-connections-accepted",
		classes: []float64{1.5, 5, 15, 30, 60},
		names:   []string{"chart.below-15", "chart.15-5", "chart.5-15", "chart.15-30", "chart.30-60", "chart.60-more-2"},
		value:   limitmap.Cost.Dials, text: func(v float64) string { return text.Digits(v, 3) },
		told: func(limitmap.Cost) bool { return true }, by: uncertain},
}
