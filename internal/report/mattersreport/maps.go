package mattersreport

import (
	"fmt"
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/limitmap"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/translations"
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
func (p *sheet) heat(k kind, by translations.Phrase, about string) chart.Heat {
	subtitle := p.Say(k.subtitle)
	if k.by != uncertain {
		subtitle = p.Say(k.subtitle, text.Count(p.High))
	}
	return chart.Heat{Words: p.Words(p.Say(by, p.Say(k.title)), subtitle+p.Say("join.sentences")+about,
		p.Say("chart.numbers-tables-below")), Classes: k.classes, Names: p.says(k.names...)}
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
		p.charted(k.id, h, k.alt)
	}
	p.inFlight(base)
}

// charted draws a chart and shows it.
func (p *sheet) charted(name string, h chart.Heat, alt translations.Phrase) {
	if len(h.Panels) == 0 || p.Err != nil {
		return
	}
	picture, err := h.Draw()
	if err != nil {
		p.Err = err
		return
	}
	p.Keep(p.files, name, picture)
	p.Picture(name, p.Say(alt))
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
		p.charted(k.id+"-in-flight", h, "matters.maps-requests-flight-limit")
	}
}
