package pictures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/chart"
)

// The width of a chart and the height of a timeline's panel. A slide of 1280 × 720 shows a chart 1180
// pixels wide, so that its labels of 11 pixels have 24 there.
const (
	slideWidth  vg.Length = 540
	panelHeight vg.Length = 52
)

func (from Recorded) charts(s say) (map[string]drawing, error) {
	out := map[string]drawing{}
	for name, draw := range map[string]func(say) (drawing, error){
		"connections": from.connections, "timeline": from.timeline, "cured": from.cured, "story": from.story,
	} {
		d, err := draw(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = d
	}
	return out, nil
}

func (s say) slide(title, desc string) chart.Words {
	return chart.Words{Title: title, Desc: desc, Width: slideWidth, Bare: true, Language: s.language()}
}

// cell returns a cell of a recorded run.
func (from Recorded) cell(run, id string) (*facts.Cell, error) {
	r, err := from.Run(run)
	if err != nil {
		return nil, err
	}
	for i := range r.Cells {
		if r.Cells[i].ID() == id {
			return &r.Cells[i], nil
		}
	}
	return nil, fmt.Errorf("the recorded run %s has no cell %s", run, id)
}

// row is a cell with its label.
type row struct{ id, label string }

func (from Recorded) dots(s say, w chart.Words, run string, rows []row) (drawing, error) {
	d := chart.Dots{Words: w, Series: []string{s("accepted", "接受"), s("used", "使用"), s("expected", "预期")},
		Panels: make([]chart.DotPanel, 1)}
	for _, r := range rows {
		c, err := from.cell(run, r.id)
		if err != nil {
			return nil, err
		}
		d.XLabel = fmt.Sprintf(s("connections in %v s (logarithmic scale)", "%v s 内的连接数（对数刻度）"), c.Workload.DurationS)
		m := core.Summarise(c)
		d.Panels[0].Rows = append(d.Panels[0].Rows, chart.DotRow{Label: r.label,
			Values: []*float64{m.Accepted.Median, m.Used.Median, m.Expected.Median}})
	}
	return d, nil
}

func (from Recorded) connections(s say) (drawing, error) {
	return from.dots(s, s.slide(s("Connections accepted, used and expected over HTTP/2", "HTTP/2 下接受、使用和预期的连接数"),
		s("nginx-1000 with one pool accepted many times as many as it used; with a connection for each user, and without "+
			"a proxy, no connection was opened.",
			"nginx-1000 在单个连接池下接受的连接数是使用数的许多倍；每个用户一条连接时，以及没有代理时，没有新建连接。")),
		"repro", []row{{"nginx-1000.h2.k6-shared-pool", s("nginx-1000, one pool", "nginx-1000，一个连接池")},
			{"nginx-1000.h2.k6-connection-per-vu", s("nginx-1000, one each", "nginx-1000，每人一条")},
			{"direct.h2.k6-shared-pool", s("direct, one pool", "direct，一个连接池")}})
}

func (from Recorded) cured(s say) (drawing, error) {
	return from.dots(s, s.slide(s("Connections before and after two cures", "采取两种对策前后的连接数"),
		s("At a limit of 1000 many times as many connections as expected; with one dial at a time as many as expected; at "+
			"100000 none.", "上限为 1000 时连接数是预期的许多倍；同一时刻只建一条时与预期相同；上限为 100000 时为零。")),
		"fixed", []row{{"nginx-1000.h2.k6-shared-pool", s("limit 1000", "上限 1000")},
			{"nginx-1000.h2.go-single-dial", s("1000, one dial at a time", "1000，同一时刻只建一条")},
			{"nginx-100000.h2.k6-shared-pool", s("limit 100000", "上限 100000")}})
}

func (from Recorded) timeline(s say) (drawing, error) {
	d := chart.Timeline{Words: s.slide(s("New connections per second over time", "每秒新建的连接数"),
		s("nginx-1000 accepts bursts of connections all the time; without a proxy there is none after the cold start.",
			"nginx-1000 不断接受成批的新连接；没有代理时，冷启动之后一条也没有。")),
		XLabel: s("seconds since the measured window opened", "测量窗口开始后的秒数"), Height: panelHeight}
	name := s("%s: new connections per second", "%s：每秒新建的连接数")
	for _, r := range []row{{"nginx-1000.h2.k6-shared-pool", fmt.Sprintf(name, "nginx-1000")},
		{"direct.h2.k6-shared-pool", fmt.Sprintf(name, "direct")}} {
		c, err := from.cell("repro", r.id)
		if err != nil {
			return nil, err
		}
		t := typical(c)
		if t == nil {
			return nil, fmt.Errorf("no trial of %s has a timeline", r.id)
		}
		series, err := from.Series("repro", t.Series)
		if err != nil {
			return nil, err
		}
		d.Lines = append(d.Lines, chart.TimeLine{Name: r.label, Alarm: len(d.Lines) == 0,
			Points: chart.Rate(series.TMS, series.Accepted, 50)})
	}
	return d, nil
}

// typical returns the trial whose accepted connections are nearest to the median.
func typical(c *facts.Cell) (best *facts.Trial) {
	m := core.Summarise(c).Accepted.Median
	off := func(t *facts.Trial) float64 { return math.Abs(float64(*t.Connections.Accepted) - *m) }
	for i := range c.Trials {
		t := &c.Trials[i]
		if m == nil || t.Series == "" || t.Connections.Accepted == nil {
			continue
		}
		if best == nil || off(t) < off(best) {
			best = t
		}
	}
	return best
}

func (from Recorded) story(s say) (drawing, error) {
	d := chart.Bars{Words: s.slide(
		s("p99 of the users in milliseconds: 1 % of them wait longer", "用户的 p99，毫秒：有 1 % 的请求等待更久"),
		s("With a larger pool it is longer than in the incident; without nginx, and with a higher limit, it is shorter.",
			"加大连接池之后比故障现场更长；去掉 nginx，或者调高上限，就更短。")),
		XLabel: s("p99, milliseconds (whiskers: 95 % interval)", "p99，毫秒（须线：95 % 区间）"),
		Series: []string{s("users of the service", "服务的用户")},
		Panels: make([]chart.BarPanel, 1)}
	for _, r := range []row{{"nginx-1000-envoy.h2.resttemplate-okhttp3", s("the incident", "故障现场")},
		{"nginx-1000-envoy.h2.resttemplate-okhttp3-pool100", s("pool of 100", "连接池 100")},
		{"envoy.h2.resttemplate-okhttp3", s("without nginx", "去掉 nginx")},
		{"nginx-100000-envoy.h2.resttemplate-okhttp3", s("limit 100000", "上限 100000")}} {
		c, err := from.cell("story", r.id)
		if err != nil {
			return nil, err
		}
		e := core.Summarise(c).P99MS
		bar := chart.Bar{Value: e.Median, Lo: e.Lo, Hi: e.Hi}
		if v := core.Pooled(c, core.P99); v != nil {
			bar = chart.Bar{Value: v}
		}
		d.Panels[0].Groups = append(d.Panels[0].Groups, chart.BarGroup{Label: r.label, Bars: []chart.Bar{bar}})
	}
	return d, nil
}
