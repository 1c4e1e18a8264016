// Package pictures draws the workshop's pictures, in English and Chinese: a diagram for each idea, and
// charts of recorded runs with a few rows, large enough for a projector. docs/workshop/pictures has
// them; the chapters and the slides show the same files. Those of chapters.go and later.go are in
// chapters only.
package pictures

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/translations"
)

// Recorded reads the recorded runs.
type Recorded struct {
	Run    func(name string) (*facts.Result, error)
	Series func(run, file string) (facts.Series, error)
}

// Draw returns the files of all pictures by their path below docs/workshop/pictures. The Chinese ones
// are in zh/, since pages show the picture of their own language by the same name.
func Draw(from Recorded) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, l := range []translations.Language{translations.English, translations.Chinese} {
		all, err := from.charts(speaker(l))
		if err != nil {
			return nil, err
		}
		for name, d := range diagrams(speaker(l)) {
			d.Language = l
			all[name] = d
		}
		folder := ""
		if l == translations.Chinese {
			folder = "zh/"
		}
		for name, drawing := range all {
			p, err := drawing.Draw()
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", folder, name, err)
			}
			files[folder+name+"-light.svg"], files[folder+name+"-dark.svg"] = p.Light, p.Dark
		}
	}
	return files, nil
}

type drawing interface{ Draw() (chart.Picture, error) }

// say returns the text of the picture's language.
type say func(english, chinese string) string

func (s say) language() translations.Language {
	return translations.Language(s(string(translations.English), string(translations.Chinese)))
}

func speaker(l translations.Language) say {
	return func(english, chinese string) string {
		if l == translations.Chinese {
			return chinese
		}
		return english
	}
}

// frame is an arrow between the two lifelines of a sequence, at a height.
type frame struct {
	y      float64
	toward bool // the client
	label  string
	ink    chart.Ink
}

// stages are the frames at the end of a connection, at nginx and at Envoy, with a limit of 100.
func stages(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("GOAWAY in one stage and in two", "单阶段与两阶段的 GOAWAY"),
		Desc: s("At a limit of 100 nginx sends one GOAWAY with stream 199 and doesn't answer streams 201 and 203. Envoy first "+
			"sends a GOAWAY with the largest number and answers all three, then a second one with the last stream.",
			"上限为 100 时，nginx 只发一个 GOAWAY，编号 199，不响应流 201 和 203。"+
				"Envoy 先发一个带最大编号的 GOAWAY，三个请求都响应，再发第二个，带最后一个流的编号。")},
		Height: 346}
	reaches := s("stream 199, the 100th", "流 199，第 100 个")
	later := s("streams 201, 203", "流 201、203")
	lifelines(&d, s, 16, "nginx", s("one stage", "单阶段"), s("201 and 203: no answer", "201、203：没有响应"), []frame{
		{70, false, reaches, chart.Plain}, {112, false, later, chart.Wasted}, {158, true, "GOAWAY 199", chart.Plain},
		{202, true, s("answer to 199", "199 的响应"), chart.Served}, {246, true, "TCP FIN", chart.Quiet}})
	lifelines(&d, s, 410, "Envoy", s("two stages", "两阶段"), s("all three are answered", "三个都有响应"), []frame{
		{70, false, reaches, chart.Plain}, {112, true, "GOAWAY 2³¹ − 1", chart.Plain}, {156, false, later, chart.Served},
		{200, true, s("answers to 199, 201, 203", "199、201、203 的响应"), chart.Served},
		{244, true, s("5 s later: GOAWAY 203", "5 s 之后：GOAWAY 203"), chart.Plain}, {284, true, "TCP FIN", chart.Quiet}})
	return d
}

// lifelines draws one sequence with its left edge at x.
func lifelines(d *chart.Diagram, s say, x float64, server, title, end string, frames []frame) {
	const wide, inset, slope = 374, 44, 12
	left, right := x+inset, x+wide-inset
	d.Boxes = append(d.Boxes, chart.Box{X: x, Y: 8, Wide: 2 * inset, Tall: 34, Lines: []string{s("client", "客户端")}},
		chart.Box{X: right - inset, Y: 8, Wide: 2 * inset, Tall: 34, Lines: []string{server}})
	for _, at := range []float64{left, right} {
		d.Arrows = append(d.Arrows, chart.Arrow{X1: at, Y1: 42, X2: at, Y2: 306, Ink: chart.Quiet, Headless: true})
	}
	d.Texts = append(d.Texts, chart.Text{X: x + wide/2, Y: 25, Line: title, Large: true},
		chart.Text{X: x + wide/2, Y: 326, Line: end, Large: true})
	for _, f := range frames {
		a := chart.Arrow{X1: left, Y1: f.y, X2: right - 2, Y2: f.y + slope, Label: f.label, Ink: f.ink, Dashed: f.ink == chart.Wasted}
		if f.toward {
			a.X1, a.X2 = right, left+2
		}
		d.Arrows = append(d.Arrows, a)
	}
}

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

// replay says which orders a client may send again, for chapter 8.
func replay(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("May this order be sent again?", "这个订单可以重发吗？"),
		Desc: s("An order above the last-stream-id, or one refused with REFUSED_STREAM, was not executed: send it again, if the "+
			"body can be read again. An order without an answer in time may have been executed: again only if a duplicate is harmless.",
			"编号大于 last-stream-id 的订单，或被 REFUSED_STREAM 拒绝的订单，没有执行：请求体能再读一次，就可以重发。"+
				"没有按时得到响应的订单可能已经执行：只有重复无害时才能重发。")},
		Height: 300}
	for i, c := range []struct {
		seen, also, known, may, but string
		ink                         chart.Ink
	}{
		{s("above the last-stream-id", "大于 last-stream-id"), s("or REFUSED_STREAM", "或 REFUSED_STREAM"),
			s("not executed", "没有执行"), s("send again", "可以重发"), s("needs the body again", "需要再读请求体"), chart.Served},
		{s("the connection broke", "连接断开"), s("at or below the last id", "不大于最后的编号"), s("maybe executed", "可能已执行"),
			s("only if harmless", "无害时才可重发"), s("or with a key", "或带幂等键"), chart.Wasted},
		{s("no answer in time", "没有按时得到响应"), s("the client gave up", "客户端放弃等待"), s("maybe executed", "可能已执行"),
			s("only if harmless", "无害时才可重发"), s("or wait longer", "或等待更久"), chart.Wasted},
	} {
		y := 14 + 94*float64(i)
		d.Boxes = append(d.Boxes,
			chart.Box{X: 16, Y: y, Wide: 270, Tall: 78, Lines: []string{c.seen, c.also}},
			chart.Box{X: 326, Y: y, Wide: 176, Tall: 78, Lines: []string{c.known}, Ink: c.ink, Fill: 1},
			chart.Box{X: 542, Y: y, Wide: 242, Tall: 78, Lines: []string{c.may, c.but}, Ink: c.ink})
		d.Arrows = append(d.Arrows, chart.Arrow{X1: 286, Y1: y + 39, X2: 324, Y2: y + 39},
			chart.Arrow{X1: 502, Y1: y + 39, X2: 540, Y2: y + 39, Ink: c.ink})
	}
	return d
}

// signs says who signs in a full handshake and in a resumed one, for chapter 9.
func signs(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("Who signs in a handshake", "握手时由谁签名"),
		Desc: s("In a full TLS 1.3 handshake the server signs with its certificate's private key, and the client verifies. In a "+
			"resumed one nobody signs: both prove an earlier secret. Both still exchange keys.",
			"在完整的 TLS 1.3 握手中，服务器用证书的私钥签名，由客户端验证。"+
				"复用会话时没有签名：双方证明持有先前的密钥。两种情况都要交换密钥。")},
		Height: 346}
	lifelines(&d, s, 16, s("server", "服务器"), s("full", "完整"), s("costs the server a signature", "服务器要做一次签名"), []frame{
		{70, false, s("ClientHello, key share", "ClientHello，密钥份额"), chart.Plain},
		{116, true, s("ServerHello, key share", "ServerHello，密钥份额"), chart.Plain},
		{162, true, s("certificate, signature", "证书、签名"), chart.Plain},
		{208, false, s("verified, Finished", "验证完毕，Finished"), chart.Served}, {254, false, s("request", "请求"), chart.Quiet}})
	still := s("no signature, still a connection", "没有签名，仍是一条连接")
	lifelines(&d, s, 410, s("server", "服务器"), s("resumed", "复用会话"), still, []frame{
		{70, false, s("ClientHello, ticket, key share", "ClientHello，票据，密钥份额"), chart.Plain},
		{116, true, s("ServerHello, key share", "ServerHello，密钥份额"), chart.Plain},
		{162, true, "Finished", chart.Served},
		{208, false, "Finished", chart.Served}, {254, false, s("request", "请求"), chart.Quiet}})
	return d
}

// hops are the connections of a chain: a client sees the first of them alone, for chapter 10.
func hops(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("Your connection ends at the first server", "你的连接止于第一台服务器"),
		Desc: s("A client's connection to nginx has nginx's limit, SETTINGS and GOAWAY. nginx's connections to Envoy and Envoy's to "+
			"the backend are others. Response headers pass through the chain.",
			"客户端到 nginx 的连接，上限、SETTINGS 和 GOAWAY 都是 nginx 的。"+
				"nginx 到 Envoy、Envoy 到后端是另外的连接。响应头会穿过整条链路。")},
		Height: 252}
	for i, b := range []chart.Box{
		{Name: s("client", "客户端"), Lines: []string{s("you", "你")}},
		{Name: "nginx", Lines: []string{s("limit L", "上限 L")}, Ink: chart.Wasted, Fill: 1},
		{Name: "Envoy", Lines: []string{s("no limit", "没有上限")}},
		{Name: s("backend", "后端"), Lines: []string{"Go"}},
	} {
		b.X, b.Y, b.Wide, b.Tall = 16+212*float64(i), 14, 132, 84
		d.Boxes = append(d.Boxes, b)
		if i == 0 {
			continue
		}
		ink := chart.Quiet
		if i == 1 {
			ink = chart.Served
		}
		d.Arrows = append(d.Arrows, chart.Arrow{X1: b.X - 80, Y1: 56, X2: b.X - 2, Y2: 56, Ink: ink})
	}
	d.Arrows = append(d.Arrows,
		chart.Arrow{X1: 360, Y1: 156, X2: 18, Y2: 156, Ink: chart.Served, Label: s("limit, SETTINGS, GOAWAY", "上限、SETTINGS、GOAWAY")},
		chart.Arrow{X1: 784, Y1: 222, X2: 18, Y2: 222,
			Label: s("response headers pass through, and can be forged", "响应头穿过整条链路，也可以伪造")})
	d.Texts = append(d.Texts, chart.Text{X: 580, Y: 156, Line: s("other connections: unseen", "另外的连接：看不到"), Ink: chart.Quiet})
	return d
}

// oneKnob is the form of a question that one run answers, for chapter 11.
func oneKnob(s say) chart.Diagram {
	d := chart.Diagram{Words: chart.Words{Title: s("One knob, one number", "一个参数，一个数"),
		Desc: s("Two runs differ in one knob: 10 and 100 requests in flight. Everything else stays the same and is recorded. One "+
			"number of each, accepted ÷ expected, answers the question that was written down before.",
			"两次运行只差一个参数：在途请求数 10 和 100。其余一切不变，并有记录。每次取一个数，接受数 ÷ 预期数，回答事先写下的问题。")},
		Height: 276}
	d.Boxes = append(d.Boxes, chart.Box{X: 16, Y: 72, Wide: 168, Tall: 84, Name: s("question", "问题"),
		Lines: []string{s("and prediction", "和预测")}})
	for i, knob := range []string{"10", "100"} {
		y := 14 + 112*float64(i)
		d.Boxes = append(d.Boxes,
			chart.Box{X: 270, Y: y, Wide: 236, Tall: 84, Name: s("run ", "运行 ") + string(rune('A'+i)),
				Lines: []string{"CONCURRENCY=" + knob}, Ink: chart.Served, Fill: 1},
			chart.Box{X: 590, Y: y, Wide: 194, Tall: 84, Name: s("quotient ", "商 ") + string(rune('A'+i)),
				Lines: []string{s("accepted ÷ expected", "接受 ÷ 预期")}})
		d.Arrows = append(d.Arrows, chart.Arrow{X1: 184, Y1: 114, X2: 268, Y2: y + 42},
			chart.Arrow{X1: 506, Y1: y + 42, X2: 588, Y2: y + 42, Ink: chart.Served})
	}
	d.Texts = append(d.Texts, chart.Text{X: 400, Y: 250, Line: s("everything else stays the same, and results.json has it",
		"其余一切不变，results.json 都有记录"), Ink: chart.Quiet})
	return d
}
