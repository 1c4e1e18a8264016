package pictures

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/chart"
)

func diagrams(s say) map[string]chart.Diagram {
	return map[string]chart.Diagram{"topologies": topologies(s), "shared": shared(s), "dials": dials(s),
		"stages": stages(s), "cures": cures(s), "chain": chain(s), "counts": counts(s), "ending": ending(s),
		"replay": replay(s), "signs": signs(s), "hops": hops(s), "knob": oneKnob(s)}
}

// topologies are the four paths of chapter 1.
func topologies(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("Four paths to one backend", "通往同一后端的四条路径"),
		Desc: s("nginx-low and envoy-low end a connection after L requests, nginx-high after 100000; the direct path "+
			"has no limit.", "nginx-low 和 envoy-low 在 L 个请求后结束连接，nginx-high 在 100000 个之后；直连没有上限。")},
		Height: 336,
		Boxes: []chart.Box{
			{X: 16, Y: 14, Wide: 124, Tall: 308, Name: s("client", "客户端")},
			{X: 660, Y: 14, Wide: 124, Tall: 308, Name: s("backend", "后端")}}}
	limit := s("limit: ", "上限：")
	for i, front := range []struct {
		name, limit string
		ink         chart.Ink
	}{
		{"nginx-low", limit + "L", chart.Wasted}, {"nginx-high", limit + "100000", chart.Served},
		{"envoy-low", limit + "L", chart.Wasted},
	} {
		y := 14 + 80*float64(i)
		d.Boxes = append(d.Boxes, chart.Box{X: 270, Y: y, Wide: 260, Tall: 66, Name: front.name,
			Lines: []string{front.limit}, Ink: front.ink, Fill: 1})
		upstream := "HTTP/1.1"
		if front.name == "envoy-low" {
			upstream = "HTTP/2"
		}
		d.Arrows = append(d.Arrows, chart.Arrow{X1: 140, Y1: y + 33, X2: 268, Y2: y + 33, Label: "HTTP/2"},
			chart.Arrow{X1: 530, Y1: y + 33, X2: 658, Y2: y + 33, Label: upstream})
	}
	d.Arrows = append(d.Arrows, chart.Arrow{X1: 140, Y1: 296, X2: 658, Y2: 296, Ink: chart.Served,
		Label: s("direct: HTTP/2, no limit", "direct：HTTP/2，没有上限")})
	return d
}

// shared compares the same requests on four connections and on one.
func shared(s say) chart.Diagram {
	const users, limit = 4, 100
	d := chart.Diagram{Words: chart.Words{
		Title: s("One shared connection reaches the limit first", "共用的一条连接最先达到上限"),
		Desc: s("Four users send 25 requests each. With a connection for each, every connection has had 25 of 100. On one "+
			"shared connection 100 of 100 are used up, and GOAWAY follows.",
			"四个用户各发送 25 个请求。每人一条连接时，每条连接用掉 100 个中的 25 个；共用一条连接时，100 个全部用完，随后是 GOAWAY。")},
		Height: 308,
		Texts: []chart.Text{
			{X: 200, Y: 24, Line: s("HTTP/1.1: a connection each", "HTTP/1.1：每人一条连接"), Large: true},
			{X: 606, Y: 24, Line: s("HTTP/2: one for all", "HTTP/2：所有人共用一条"), Large: true},
			{X: 200, Y: 284, Line: s("75 requests left on each", "每条还剩 75 个"), Ink: chart.Quiet},
			{X: 606, Y: 284, Line: s("used up four times as soon", "用完的时间缩短为四分之一"), Ink: chart.Quiet}}}
	each := limit / users
	of := func(n int) string {
		return s(strconv.Itoa(n)+" of "+strconv.Itoa(limit), strconv.Itoa(n)+" / "+strconv.Itoa(limit))
	}
	for i := range users {
		y := 48 + 54*float64(i)
		name := s("user ", "用户 ") + strconv.Itoa(i+1)
		for _, x := range []float64{16, 420} {
			d.Boxes = append(d.Boxes, chart.Box{X: x, Y: y, Wide: 84, Tall: 40, Lines: []string{name}})
		}
		d.Boxes = append(d.Boxes, chart.Box{X: 140, Y: y, Wide: 236, Tall: 40, Ink: chart.Served,
			Lines: []string{of(each)}, Fill: 1.0 / users})
		d.Arrows = append(d.Arrows, chart.Arrow{X1: 100, Y1: y + 20, X2: 138, Y2: y + 20, Ink: chart.Served},
			chart.Arrow{X1: 504, Y1: y + 20, X2: 562, Y2: 149 + 24*(float64(i)-1.5), Ink: chart.Wasted})
	}
	d.Boxes = append(d.Boxes, chart.Box{X: 564, Y: 94, Wide: 220, Tall: 110, Ink: chart.Wasted, Fill: 1,
		Name: of(limit), Lines: []string{s("then GOAWAY", "随后 GOAWAY")}})
	return d
}

// dials are what a pool without a bound does at a renewal.
func dials(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("At a renewal, every waiting request dials", "更换连接时，每个等待的请求都新建连接"),
		Desc: s("Fifty requests wait after a GOAWAY. Each starts a TCP and TLS handshake of its own. The first connection "+
			"that is ready serves all of them; the others are closed unused.",
			"一次 GOAWAY 之后，五十个请求在等待，各自开始 TCP 和 TLS 握手。最先就绪的连接承载全部请求，其余的未使用就被关闭。")},
		Height: 330}
	const tall, step = 46, 62
	for i, n := range []string{"1", "2", "3", "", "50"} {
		y := 14 + step*float64(i)
		if n == "" {
			for _, x := range []float64{96, 330, 640} {
				d.Texts = append(d.Texts, chart.Text{X: x, Y: y + tall/2, Line: "⋮", Large: true})
			}
			continue
		}
		ink, end := chart.Wasted, s("closed, unused", "未使用，关闭")
		if i == 0 {
			ink, end = chart.Served, s("HTTP/2: serves all 50", "HTTP/2：承载全部 50 个")
		}
		d.Boxes = append(d.Boxes, chart.Box{X: 16, Y: y, Wide: 160, Tall: tall, Lines: []string{s("request ", "请求 ") + n}},
			chart.Box{X: 490, Y: y, Wide: 294, Tall: tall, Lines: []string{end}, Ink: ink, Fill: 1})
		d.Arrows = append(d.Arrows, chart.Arrow{X1: 176, Y1: y + tall/2, X2: 488, Y2: y + tall/2, Ink: ink, Dashed: i > 0,
			Label: s("TCP, TLS with ALPN", "TCP、TLS（ALPN）")})
	}
	return d
}

// cures are the three places where a part of the fault can be cured.
func cures(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("Three parts of the fault, three places for a cure", "故障的三个部分，三处对策"),
		Desc: s("The request decides what fails: send a body that can be repeated. The client's pool decides how many dials "+
			"a renewal has: dial once. The server decides how often connections are renewed: raise the limit.",
			"请求决定什么会失败：发送可以重复的请求体。客户端连接池决定每次更换时新建几条："+
				"同一时刻只建一条。服务端决定多久更换一次：调高上限。")},
		Height: 282}
	for i, c := range []struct{ place, decides, cure, effect, rest string }{
		{s("request", "请求"), s("what fails", "什么会失败"), s("repeatable body", "请求体可重复发送"),
			s("dropped requests", "被丢弃的请求"), s("are sent again", "会重新发送")},
		{s("client's pool", "客户端连接池"), s("dials at a renewal", "更换时新建几条"), s("one dial at a time", "同一时刻只建一条"),
			s("one dial a renewal,", "每次更换只建一条，"), s("as many renewals", "更换次数不变")},
		{s("server", "服务端"), s("how often", "多久更换一次"), s("higher limit", "调高上限"),
			s("fewer renewals,", "更换次数减少，"), s("as many dials at each", "每次新建的不变")},
	} {
		x := 16 + 266*float64(i)
		d.Boxes = append(d.Boxes, chart.Box{X: x, Y: 14, Wide: 236, Tall: 84, Name: c.place, Lines: []string{c.decides}},
			chart.Box{X: x, Y: 156, Wide: 236, Tall: 112, Name: c.cure, Lines: []string{c.effect, c.rest},
				Ink: chart.Served, Fill: 1})
		d.Arrows = append(d.Arrows, chart.Arrow{X1: x + 118, Y1: 156, X2: x + 118, Y2: 100, Ink: chart.Served})
		if i < 2 {
			d.Arrows = append(d.Arrows, chart.Arrow{X1: x + 236, Y1: 56, X2: x + 264, Y2: 56})
		}
	}
	return d
}

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
		Panels: make([]chart.Panel[chart.DotRow], 1)}
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
		Panels: make([]chart.Panel[chart.BarGroup], 1)}
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
		d.Panels[0].Rows = append(d.Panels[0].Rows, chart.BarGroup{Label: r.label, Bars: []chart.Bar{bar}})
	}
	return d, nil
}
