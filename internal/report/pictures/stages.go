package pictures

import "h2lab/internal/report/chart"

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
