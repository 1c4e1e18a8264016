package runreport

import (
	"fmt"
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/translations"
)

// row is a cell in the table, with its summary and the result that it comes from.
type row struct {
	*facts.Cell
	Summary facts.Summary
	of      *facts.Result
}

func rowOf(c *facts.Cell, of *facts.Result) row { return row{c, core.Summarise(c), of} }

// collect returns the cells in the order of the table: by client, then as planned.
func collect(in Input) []row {
	var all []row
	for i := range in.Result.Cells {
		all = append(all, rowOf(&in.Result.Cells[i], in.Result))
	}
	rank := func(c facts.Client) int {
		if i := slices.Index(facts.Clients, c); i >= 0 {
			return i
		}
		return len(facts.Clients) // the clients of clients/ follow the lab's own
	}
	slices.SortStableFunc(all, func(a, b row) int {
		if d := rank(a.Client) - rank(b.Client); d != 0 {
			return d
		}
		if rank(a.Client) == len(facts.Clients) && a.Client != b.Client {
			return map[bool]int{true: -1, false: 1}[a.Client < b.Client]
		}
		return 0
	})
	return all
}

// clients returns the clients of the rows, in order.
func clients(rows []row) []facts.Client {
	var out []facts.Client
	for _, r := range rows {
		if !slices.Contains(out, r.Client) {
			out = append(out, r.Client)
		}
	}
	return out
}

// ofClient returns one client's rows.
func ofClient(rows []row, c facts.Client) (out []row) {
	for _, r := range rows {
		if r.Client == c {
			out = append(out, r)
		}
	}
	return out
}

// find returns the row of a cell; nil if there is none with trials.
func (p *page) find(topology string, protocol facts.Protocol, c facts.Client) *row {
	for i := range p.rows {
		r := &p.rows[i]
		if r.Topology == topology && r.Protocol == protocol && r.Client == c && len(r.Trials) > 0 {
			return r
		}
	}
	return nil
}

// low and high are the two nginx topologies that the report compares.
func (p *page) low() string { return fmt.Sprintf("nginx-%d", p.run.Limit) }

const high = "nginx-100000"

// sample returns one number of each counted trial that has it.
func (r row) sample(of func(facts.Trial) *float64) []float64 { return core.Sample(r.Trials, of) }

func goodput(t facts.Trial) *float64 { return &t.GoodputRPS }

// per1000 is a count per 1,000 attempted requests.
func per1000(count func(facts.Trial) *int64) func(facts.Trial) *float64 {
	return func(t facts.Trial) *float64 {
		n := count(t)
		if n == nil || t.Attempts == 0 {
			return nil
		}
		return new(float64(*n) * 1000 / float64(t.Attempts))
	}
}

func accepted(t facts.Trial) *int64 { return t.Connections.Accepted }
func failed(t facts.Trial) *int64   { return &t.Failed }

// median returns a sample's median; nil if it is empty.
func median(sample []float64) *float64 { return statistics.Median(sample).Median }

// sibling returns the same cell of the same result over HTTP/1.1, without its summary.
func (r row) sibling() *row {
	c := r.of.Cell(r.Topology, facts.H1, r.Client)
	if c == nil || len(c.Trials) == 0 {
		return nil
	}
	return &row{Cell: c, of: r.of}
}

// againstH1 compares a cell's goodput with HTTP/1.1's, tailAgainstH1 its p99; nil if one of them is missing.
func (r row) againstH1() *statistics.Comparison { return r.compared(goodput) }

func (r row) tailAgainstH1() *statistics.Comparison { return r.compared(core.P99) }

func (r row) compared(of func(facts.Trial) *float64) *statistics.Comparison {
	h1 := r.sibling()
	if h1 == nil || len(r.Trials) == 0 {
		return nil
	}
	return new(statistics.Compare(r.sample(of), h1.sample(of)))
}

// spoken is a protocol's name in prose and pictures.
func spoken(p facts.Protocol) string {
	switch p {
	case facts.H1:
		return "HTTP/1.1"
	case facts.H2:
		return "HTTP/2"
	}
	return string(p)
}

var clientTitles = map[facts.Client]translations.Phrase{
	facts.K6SharedPool:      "run.connection-pool-all",
	facts.K6ConnectionPerVU: "run.usual-script-connection",
	facts.GoReplayable:      "run.gos-net-http-bodies",
	facts.GoOnce:            "run.gos-net-http-body",
	facts.GoSingleDial:      "run.gos-net-http",
}

// titled returns a client's name with its description.
func titled(l translations.Language, c facts.Client) string {
	if t := clientTitles[c]; t != "" {
		return l.Say("page.labelled", string(c), l.Say(t))
	}
	return string(c)
}
