package pictures

import (
	"strconv"

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
