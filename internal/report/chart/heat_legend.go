package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// heatEntry is one entry of a map's legend.
type heatEntry struct {
	name string
	cell HeatCell
}

// entries are the classes, and the marks that the panels have.
func (d Heat) entries() (out []heatEntry) {
	for i, name := range d.Names {
		below := math.Inf(-1)
		if i > 0 && i-1 < len(d.Classes) {
			below = d.Classes[i-1]
		}
		out = append(out, heatEntry{name, HeatCell{Value: &below}})
	}
	var unsure, calculated, none bool
	for _, p := range d.Panels {
		for _, row := range p.Cells {
			for _, c := range row {
				unsure, calculated, none = unsure || c.Unsure, calculated || c.Calculated, none || c.Value == nil
			}
		}
	}
	least := math.Inf(-1)
	if unsure {
		out = append(out, heatEntry{d.say(untold), HeatCell{Value: &least, Unsure: true}})
	}
	if calculated {
		out = append(out, heatEntry{d.say("chart.extrapolated"), HeatCell{Value: &least, Calculated: true}})
	}
	if none {
		out = append(out, heatEntry{d.say(notMeasured), HeatCell{}})
	}
	return out
}

const swatch vg.Length = 26

// heatRows splits the legend into rows that fit.
func (d Heat) heatRows() (rows [][]heatEntry) {
	s := style(sans, 12, color.Black)
	var x vg.Length
	for _, e := range d.entries() {
		w := s.Width(e.name) + swatch + 22
		if len(rows) == 0 || x+w > d.wide()-2*margin {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		x += w
	}
	return rows
}

func (d Heat) heatLegendHeight() vg.Length { return legendLine*vg.Length(len(d.heatRows())) + 8 }

func (d Heat) heatLegend(f *figure) {
	s := f.plain(12)
	for _, row := range d.heatRows() {
		x := margin
		for _, e := range row {
			y := f.canvas.Max.Y - f.top - 16
			box := rectangle(x, y, swatch, 14)
			fill := f.theme.Background
			if e.cell.Value != nil {
				fill, _ = d.step(f.theme, *e.cell.Value)
			}
			f.canvas.SetColor(fill)
			f.canvas.Fill(box)
			if e.cell.Unsure {
				f.hatch(x, y, swatch, 14, fill)
			}
			f.frame(box, e.cell)
			f.text(s, x+swatch+6, f.top+13, e.name)
			x += s.Width(e.name) + swatch + 22
		}
		f.top += legendLine
	}
	f.top += 8
}
