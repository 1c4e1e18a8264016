package pictures

import "h2lab/internal/report/chart"

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
