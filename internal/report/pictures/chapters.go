package pictures

import "h2lab/internal/report/chart"

// chain is the chain of chapter 0 and what each team's clock covers.
func chain(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("Two clocks on one chain", "同一条链路上的两个时钟"),
		Desc: s("The users' clock runs from the service to the answer, the wait for a connection included. The API's clock "+
			"starts when a request arrives there. nginx, between them, ends a connection after 1000 requests.",
			"用户的时钟从请求服务开始，到收到响应为止，包括等待连接的时间。API 的时钟从请求到达时才开始。"+
				"两者之间的 nginx 在 1000 个请求之后结束连接。")},
		Height: 252}
	boxes := []chart.Box{
		{Name: s("users", "用户"), Lines: []string{"100"}},
		{Name: s("service", "服务"), Lines: []string{s("pool of 5", "连接池 5")}},
		{Name: "nginx", Lines: []string{s("limit 1000", "上限 1000")}, Ink: chart.Wasted, Fill: 1},
		{Name: s("gateway", "网关"), Lines: []string{s("no limit", "没有上限")}},
		{Name: "API", Lines: []string{"20 ms"}, Ink: chart.Served, Fill: 1},
	}
	const wide, step = 124, 161
	for i, b := range boxes {
		b.X, b.Y, b.Wide, b.Tall = 16+step*float64(i), 14, wide, 84
		d.Boxes = append(d.Boxes, b)
		if i > 0 {
			d.Arrows = append(d.Arrows, chart.Arrow{X1: b.X - step + wide, Y1: 56, X2: b.X - 2, Y2: 56})
		}
	}
	d.Arrows = append(d.Arrows,
		chart.Arrow{X1: 16, Y1: 160, X2: 784, Y2: 160, Ink: chart.Wasted,
			Label: s("the users' clock: with the wait for a connection", "用户的时钟：包括等待连接")},
		chart.Arrow{X1: 660, Y1: 222, X2: 784, Y2: 222, Ink: chart.Served})
	d.Texts = append(d.Texts, chart.Text{X: 470, Y: 222, Line: s("the API's clock: what has arrived", "API 的时钟：只有已到达的")})
	return d
}

// counts are the events of a connection and the counters that they raise, for chapter 2.
func counts(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("What raises which counter", "什么会让哪个计数器增加"),
		Desc: s("A TCP connection raises accepts, before any request. Its first request writes a line to the log and makes it "+
			"used. Each request raises requests. Reading the counters is a connection too.",
			"一条 TCP 连接建立时 accepts 就加一，这时还没有请求。第一个请求写一行日志，连接才算使用。"+
				"每个请求让 requests 加一。读取计数器本身也是一条连接。")},
		Height: 300}
	for i, b := range []chart.Box{
		{Name: "TCP", Lines: []string{s("accepted", "被接受")}},
		{Name: "TLS", Lines: []string{s("handshake", "握手")}},
		{Name: s("request 1", "请求 1"), Lines: []string{s("the first", "第一个")}},
		{Name: s("request 2 …", "请求 2 …"), Lines: []string{s("more", "更多")}},
		{Name: "accepts", Lines: []string{"+1"}, Ink: chart.Wasted, Fill: 1},
		{},
		{Name: s("used", "使用"), Lines: []string{s("+1, a log line", "+1，一行日志")}, Ink: chart.Served, Fill: 1},
		{Name: "requests", Lines: []string{s("+1 each", "每个 +1")}, Ink: chart.Served, Fill: 1},
	} {
		column, row := i%4, i/4
		b.X, b.Y, b.Wide, b.Tall = 16+199*float64(column), 14+112*float64(row), 171, 74
		if b.Name == "" {
			continue
		}
		d.Boxes = append(d.Boxes, b)
		if row == 0 && column > 0 {
			d.Arrows = append(d.Arrows, chart.Arrow{X1: b.X - 28, Y1: 51, X2: b.X - 2, Y2: 51})
		}
		if row == 1 {
			d.Arrows = append(d.Arrows, chart.Arrow{X1: b.X + 85, Y1: 88, X2: b.X + 85, Y2: 124, Ink: b.Ink})
		}
	}
	d.Boxes = append(d.Boxes, chart.Box{X: 16, Y: 238, Wide: 370, Tall: 48, Lines: []string{
		s("your reading: a connection too", "你的读数：也是一条连接")}})
	d.Arrows = append(d.Arrows, chart.Arrow{X1: 101, Y1: 238, X2: 101, Y2: 202, Ink: chart.Wasted})
	d.Texts = append(d.Texts, chart.Text{X: 599, Y: 262, Line: s("accepted − used = wasted", "接受 − 使用 = 浪费"), Large: true})
	return d
}

// ending is what the frames at the end of a connection mean for its requests, for chapter 4.
func ending(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("What GOAWAY says about each stream", "GOAWAY 对每个流的说明"),
		Desc: s("nginx with a limit of 100: streams up to 199 are answered. GOAWAY with 199 leaves before the answer. Streams "+
			"201 and 203 were not processed and may be sent again, whatever the method.",
			"上限为 100 的 nginx：编号到 199 为止的流得到响应，带 199 的 GOAWAY 在响应之前发出。"+
				"流 201 和 203 没有被处理，无论什么方法都可以重发。")},
		Height: 346}
	lifelines(&d, s, 16, "nginx", s("limit 100", "上限 100"), s("request N: stream 2N − 1", "第 N 个请求：流 2N − 1"), []frame{
		{70, false, s("stream 199, the 100th", "流 199，第 100 个"), chart.Plain},
		{112, false, s("streams 201, 203", "流 201、203"), chart.Wasted},
		{158, true, "GOAWAY 199", chart.Plain}, {202, true, s("answer to 199", "199 的响应"), chart.Served},
		{246, true, "TCP FIN", chart.Quiet}})
	d.Boxes = append(d.Boxes,
		chart.Box{X: 440, Y: 58, Wide: 344, Tall: 116, Name: s("above 199", "大于 199"), Ink: chart.Wasted, Fill: 1,
			Lines: []string{s("not processed:", "没有处理："), s("send again, any method", "任何方法都可重发")}},
		chart.Box{X: 440, Y: 196, Wide: 344, Tall: 116, Name: s("199 and below", "不大于 199"), Ink: chart.Served, Fill: 1,
			Lines: []string{s("may have been processed:", "可能已经处理："), s("again only if harmless", "无害时才可重发")}})
	return d
}
