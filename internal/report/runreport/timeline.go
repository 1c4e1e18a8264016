package runreport

import (
	"math"
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/report/chart"
)

// maxLines is the largest number of panels in a timeline; more would be hard to compare.
const maxLines = 6

// storyteller returns the client whose timeline and latency are drawn: the shared pool if it was
// measured, or else the first client.
func (p *page) storyteller() facts.Client {
	for _, c := range []facts.Client{facts.K6SharedPool, facts.GoReplayable} {
		if slices.ContainsFunc(p.rows, func(r row) bool { return r.Client == c && len(r.Trials) > 0 }) {
			return c
		}
	}
	for _, r := range p.rows {
		if len(r.Trials) > 0 {
			return r.Client
		}
	}
	return ""
}

// story returns the rows of the timeline: HTTP/2 at the low limit, then every other topology over
// HTTP/2, then HTTP/1.1 at the low limit.
func (p *page) story() []row {
	rows := ofClient(p.rows, p.storyteller())
	var out []row
	for _, want := range []func(row) bool{
		func(r row) bool { return r.Protocol == facts.H2 && r.Topology == p.low() },
		func(r row) bool { return r.Protocol == facts.H2 && r.Topology != p.low() },
		func(r row) bool { return r.Protocol == facts.H1 && r.Topology == p.low() },
	} {
		for _, r := range rows {
			if want(r) && len(r.Trials) > 0 {
				out = append(out, r)
			}
		}
	}
	return out
}

// typical returns the trial with a timeline whose goodput is nearest to the median.
func typical(r row) *facts.Trial {
	var best *facts.Trial
	m := median(r.sample(goodput))
	for i := range r.Trials {
		t := &r.Trials[i]
		if t.Series == "" || m == nil {
			continue
		}
		if best == nil || math.Abs(t.GoodputRPS-*m) < math.Abs(best.GoodputRPS-*m) {
			best = t
		}
	}
	return best
}

// timelineOf reads a row's series. An unreadable one is left out with a note.
func (p *page) timelineOf(r row) (*facts.Trial, facts.Series) {
	t := typical(r)
	if t == nil || p.in.Series == nil {
		return nil, facts.Series{}
	}
	s, err := p.in.Series(t.Series)
	if err != nil {
		p.unread = append(p.unread, t.Series)
		return nil, facts.Series{}
	}
	return t, s
}

func (p *page) timelineChart() (chart.Picture, string, error) {
	tl := chart.Timeline{XLabel: p.Say("chart.seconds-since-measured")}
	bin, from := 0.0, 0.0
	type drawn struct {
		row    row
		trial  *facts.Trial
		series facts.Series
	}
	var all []drawn
	for _, r := range p.story() {
		if t, s := p.timelineOf(r); t != nil && len(s.TMS) > 1 && len(all) < maxLines {
			all = append(all, drawn{r, t, s})
			bin, from = max(bin, chart.Bin(s.TMS)), min(from, s.TMS[0])
		}
	}
	if len(all) == 0 {
		return chart.Picture{}, "", nil
	}
	for _, d := range all {
		low := d.row.Protocol == facts.H2 && d.row.Limit.Configured != nil && *d.row.Limit.Configured < 100000
		tl.Lines = append(tl.Lines, chart.TimeLine{Name: d.row.Topology + ", " + spoken(d.row.Protocol),
			Note: p.Say("chart.trial", d.trial.Index, p.acceptedFor(d.trial)), Alarm: low,
			Points: chart.Rate(d.series.TMS, d.series.Accepted, bin)})
	}
	tl.Words = p.Words(p.Say("chart.new-connections-per-second"),
		p.Say("chart.client-trial-nearest-median", p.storyteller(), bin),
		p.Say("chart.cold-start-shaded-warm"))
	pic, err := tl.Draw()
	return pic, p.Say("page.new-connections-per-second"), err
}

func (p *page) acceptedFor(t *facts.Trial) string {
	if t.Connections.Accepted == nil {
		return p.Say("verdict.requests", text.Count(t.Attempts))
	}
	return p.Say("chart.accepted-requests", text.Count(*t.Connections.Accepted), text.Count(t.Attempts))
}
