// Package pictures draws the workshop's pictures, in English and Chinese: a diagram for each idea, and
// charts of recorded runs with a few rows, large enough for a projector. docs/workshop/pictures has
// them; the chapters and the slides show the same files. pictures.toml says what they show.
package pictures

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/BurntSushi/toml"
	"gonum.org/v1/plot/vg"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/chart"
)

//go:embed pictures.toml
var data string

// Recorded reads the recorded runs.
type Recorded struct {
	Run    func(name string) (*facts.Result, error)
	Series func(run, file string) (facts.Series, error)
}

// drawn are all pictures, by their names.
type drawn struct {
	Diagram map[string]chart.Diagram
	Chart   map[string]slide
}

// slide is a chart of some cells of a recorded run.
type slide struct {
	chart.Words
	Kind, Run, XLabel string
	Series            []string
	Rows              []struct{ Cell, Label string }
}

// Draw returns the files of all pictures by their path below docs/workshop/pictures. The Chinese ones
// are in zh/, since pages show the picture of their own language by the same name.
func Draw(from Recorded) (map[string][]byte, error) {
	var both drawn
	if _, err := toml.Decode(data, &both); err != nil {
		return nil, fmt.Errorf("pictures.toml: %w", err)
	}
	files := map[string][]byte{}
	for folder, l := range map[string]texts.Language{"": texts.English, "zh/": texts.Chinese} {
		in := text.Map(both, func(s string) string {
			english, chinese, _ := strings.Cut(s, " | ")
			if l == texts.Chinese && chinese != "" {
				return chinese
			}
			return english
		})
		all := map[string]interface{ Draw() (chart.Picture, error) }{}
		for name, d := range in.Diagram {
			d.Language = l
			all[name] = d
		}
		for name, s := range in.Chart {
			s.Language = l
			d, err := from.chart(s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all[name] = d
		}
		for name, d := range all {
			p, err := d.Draw()
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", folder, name, err)
			}
			files[folder+name+"-light.svg"], files[folder+name+"-dark.svg"] = p.Light, p.Dark
		}
	}
	return files, nil
}

// The width of a chart and the height of a timeline's panel. A slide of 1280 × 720 shows a chart 1180
// pixels wide, so that its labels of 11 pixels have 24 there.
const (
	slideWidth  vg.Length = 540
	panelHeight vg.Length = 52
)

// chart has a mark, a line or a bar for each row of a slide.
func (from Recorded) chart(s slide) (interface{ Draw() (chart.Picture, error) }, error) {
	s.Width, s.Bare = slideWidth, true
	run, err := from.Run(s.Run)
	if err != nil {
		return nil, err
	}
	dots, bars, lines := chart.Panel[chart.DotRow]{}, chart.Panel[chart.BarGroup]{}, []chart.TimeLine{}
	var seconds float64
	for _, r := range s.Rows {
		var c *facts.Cell
		for i := range run.Cells {
			if run.Cells[i].ID() == r.Cell {
				c = &run.Cells[i]
			}
		}
		if c == nil {
			return nil, fmt.Errorf("the recorded run %s has no cell %s", s.Run, r.Cell)
		}
		seconds = c.Workload.DurationS
		m := core.Summarise(c)
		switch s.Kind {
		case "dots":
			dots.Rows = append(dots.Rows, chart.DotRow{Label: r.Label,
				Values: []*float64{m.Accepted.Median, m.Used.Median, m.Expected.Median}})
		case "bars":
			bar := chart.Bar{Value: m.P99MS.Median, Lo: m.P99MS.Lo, Hi: m.P99MS.Hi}
			if v := core.Pooled(c, core.P99); v != nil {
				bar = chart.Bar{Value: v}
			}
			bars.Rows = append(bars.Rows, chart.BarGroup{Label: r.Label, Bars: []chart.Bar{bar}})
		default:
			series, err := from.Series(s.Run, typical(c, m.Accepted.Median).Series)
			if err != nil {
				return nil, err
			}
			lines = append(lines, chart.TimeLine{Name: r.Label, Alarm: len(lines) == 0,
				Points: chart.Rate(series.TMS, series.Accepted, 50)})
		}
	}
	switch s.Kind {
	case "dots":
		return chart.Dots{Words: s.Words, XLabel: fmt.Sprintf(s.XLabel, seconds), Series: s.Series,
			Panels: []chart.Panel[chart.DotRow]{dots}}, nil
	case "bars":
		return chart.Bars{Words: s.Words, XLabel: s.XLabel, Series: s.Series, Panels: []chart.Panel[chart.BarGroup]{bars}}, nil
	}
	return chart.Timeline{Words: s.Words, XLabel: s.XLabel, Lines: lines, Height: panelHeight}, nil
}

// typical returns the trial whose accepted connections are nearest to the median.
func typical(c *facts.Cell, median *float64) (best facts.Trial) {
	off := math.Inf(1)
	for _, t := range c.Trials {
		if median == nil || t.Series == "" || t.Connections.Accepted == nil {
			continue
		}
		if d := math.Abs(float64(*t.Connections.Accepted) - *median); d < off {
			best, off = t, d
		}
	}
	return best
}
