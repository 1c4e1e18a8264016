package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/advise"
	"h2lab/internal/judge/limitmap"
)

func TestTheAdvicePageHasTheModelsConstants(t *testing.T) {
	page := labtest.Read(t, "../../docs/advise.md")
	for _, row := range []string{
		fmt.Sprintf("| dropped share | %v |", advise.DroppedShare),
		fmt.Sprintf("| a request's processor time at the proxy | %v ms |", advise.RequestMS),
		fmt.Sprintf("| a handshake's processor time at the proxy | %v ms |", advise.HandshakeRSA),
		fmt.Sprintf("taken times %v (RSA, full) or %v", advise.OfGo(advise.RSA, false),
			advise.OfGo(advise.ECDSA, false)),
	} {
		if !strings.Contains(page, row) {
			t.Errorf("docs/advise.md doesn't say %q", row)
		}
	}
}

// kindsOfGo are Go's clients as advise names them. OkHttp dials in another way.
var kindsOfGo = map[facts.Client]advise.Client{facts.GoReplayable: advise.Stampede, facts.GoOnce: advise.Stampede,
	facts.GoSingleDial: advise.SingleDial}

// mapCell is one place behind a limit: the question that a user there would ask, whose rate is that without renewals,
// and what was measured, by figure.
type mapCell struct {
	id       string
	q        advise.Question
	measured map[string]float64
}

// mapCells are the cells of a map with numbers of their own, of Go's clients in a closed loop.
func mapCells(t *testing.T, m limitmap.Map) (out []mapCell) {
	t.Helper()
	handshake, request := costsOnMap(t, m)
	for _, p := range m.Places {
		kind, known := kindsOfGo[p.Client]
		if !known || p.Protocol != facts.H2 || p.Arrivals != "" || p.Distance != (facts.Distance{RTTMS: p.RTTMS}) {
			continue
		}
		q := advise.Question{InFlight: p.InFlight, Pools: p.Pools, Client: kind, Key: p.Key, TLS: p.TLS, RequestMS: request,
			BackendMS: float64(p.BackendMS), RTTMS: p.RTTMS, CPUs: *m.Result.Run.CPUs, HandshakeMS: handshake *
				advise.Handshake(p.Key, p.TLS, false) / advise.Handshake(advise.RSA, advise.TLS12, false)}
		if p.Resume {
			q.ResumedShare = 1
		}
		for _, limit := range m.Limits() {
			c := m.Cost(p, limit)
			rate := limitmap.GoodputOf(c.High)
			if c.Source != limitmap.Measured || rate == nil {
				continue
			}
			q.Limit, q.RateRPS = limit, *rate
			if least := q.BackendMS + q.RTTMS; q.LatencyMS() < least {
				q.RateRPS = float64(q.InFlight) / least * 1000 // scatter of the measurement: no request is quicker
			}
			cell := mapCell{c.Low.ID(), q, map[string]float64{}}
			if dials := c.Dials(); dials != nil && kind != advise.SingleDial { // that one dials once by definition
				cell.measured[advise.Dials] = *dials
			}
			if goodput := limitmap.GoodputOf(c.Low); goodput != nil {
				cell.measured[advise.Goodput] = *goodput
			}
			if c.P99 != nil && c.P99.Told && *c.AddedMS > 0 { // else it can't be told from that behind the highest limit
				cell.measured[advise.AddedP99] = *c.AddedMS
			}
			out = append(out, cell)
		}
	}
	return out
}

// costsOnMap are the proxy's processor time for a handshake (RSA 2048, TLS 1.2, full) and for a request, in ms, at the
// place without a delay and a distance.
func costsOnMap(t *testing.T, m limitmap.Map) (handshake, request float64) {
	t.Helper()
	base, _ := m.Base()
	for _, p := range m.Of(base) {
		low, high := m.Cell(p, 1000), m.Cell(p, m.High)
		if p.Spot == (limitmap.Spot{}) && low != nil && high != nil {
			request = proxyCPU(high) / requests(high) * 1000
			return (proxyCPU(low)*1000 - request*requests(low)) / total(low, acceptedOf), request
		}
	}
	t.Fatal("the map has no place without a delay and a distance behind limit 1000")
	return 0, 0
}

// offBy is how far off the answer is at a cell, by figure. Less than a millisecond of p99 can't be told from the scatter.
func (c mapCell) offBy() map[string]float64 {
	a, out := advise.Predict(c.q), map[string]float64{}
	says := map[string]float64{advise.Dials: a.WastedPerRenewal + 1, advise.Goodput: a.GoodputRPS, advise.AddedP99: a.AddedP99MS}
	for figure, measured := range c.measured {
		predicted := says[figure]
		if figure == advise.AddedP99 {
			predicted, measured = math.Max(1, predicted), math.Max(1, measured)
		}
		if x := factor(predicted, measured); !math.IsNaN(x) {
			out[figure] = x
		}
	}
	return out
}

// TestAdviceIsJudgedByTheRecordedMap writes the table of docs/advise.md, and compares its first row with the errors that
// each answer names.
func TestAdviceIsJudgedByTheRecordedMap(t *testing.T) {
	cells := mapCells(t, limitmap.New(recorded(t, "matters")))
	var b strings.Builder
	b.WriteString("| cells |")
	figures := []string{advise.Dials, advise.Goodput, advise.AddedP99}
	for _, figure := range figures {
		fmt.Fprintf(&b, " %s: cells | typical factor | worst factor |", figure)
	}
	b.WriteString("\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, row := range []struct {
		name string
		only func(advise.Question) bool
	}{
		{"all", func(advise.Question) bool { return true }},
		{"limit 100", func(q advise.Question) bool { return q.Limit == 100 }},
		{"limit 1000", func(q advise.Question) bool { return q.Limit == 1000 }},
		{"limit 10000", func(q advise.Question) bool { return q.Limit == 10_000 }},
		{"backend of 20 ms or more", func(q advise.Question) bool { return q.BackendMS >= 20 }},
		{"round trip of 5 ms or more", func(q advise.Question) bool { return q.RTTMS >= 5 }},
		{"one dial at a time", func(q advise.Question) bool { return q.Client == advise.SingleDial }},
	} {
		all := map[string][]float64{}
		for _, c := range cells {
			if row.only(c.q) {
				for figure, x := range c.offBy() {
					all[figure] = append(all[figure], x)
				}
			}
		}
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, figure := range figures {
			of := all[figure]
			if len(of) == 0 {
				b.WriteString(" 0 | – | – |")
				continue
			}
			slices.Sort(of)
			got := advise.Factors{Cells: len(of), Typical: hundredths(of[len(of)/2]), Worst: hundredths(of[len(of)-1])}
			if row.name == "all" && got != advise.OffBy[figure] {
				t.Errorf("%s: off by %+v, and advise says %+v", figure, got, advise.OffBy[figure])
			}
			fmt.Fprintf(&b, " %d | %.2f | %.2f |", got.Cells, got.Typical, got.Worst)
		}
		b.WriteString("\n")
	}
	between(t, "../../docs/advise.md", "map", b.String()+"\nOff by more than a factor of 2:\n\n"+farOff(cells))
}

func hundredths(v float64) float64 { return math.Round(v*100) / 100 }

// farOff are the figures of cells that are off by more than a factor of 2, the worst first.
func farOff(cells []mapCell) string {
	type far struct {
		x    float64
		text string
	}
	var out []far
	for _, c := range cells {
		for figure, x := range c.offBy() {
			if x > 2 {
				out = append(out, far{x, fmt.Sprintf("- `%s`: %s, × %.2f\n", c.id, figure, x)})
			}
		}
	}
	slices.SortFunc(out, func(a, b far) int { return cmp.Or(cmp.Compare(b.x, a.x), cmp.Compare(a.text, b.text)) })
	var b strings.Builder
	for _, o := range out {
		b.WriteString(o.text)
	}
	return b.String()
}

// calibration is the run that gave advise's constants: a fixed run of the machine that repro, repro-tls13
// and the clients runs were recorded on. A full RSA handshake costs the machine of the recorded fixed run
// a third of that.
const calibration = "../calibration"

// total adds a nullable field over a cell's trials; NaN where it is unknown.
func total(c *facts.Cell, of func(facts.Trial) *int64) float64 {
	sum := 0.0
	for _, t := range c.Trials {
		v := of(t)
		if v == nil {
			return math.NaN()
		}
		sum += float64(*v)
	}
	return sum
}

func requests(c *facts.Cell) (sum float64) {
	for _, t := range c.Trials {
		sum += float64(t.Succeeded)
	}
	return sum
}

func proxyCPU(c *facts.Cell) (sum float64) {
	for _, t := range c.Trials {
		if t.CPU.Proxy == nil {
			return math.NaN()
		}
		sum += *t.CPU.Proxy
	}
	return sum
}

func acceptedOf(t facts.Trial) *int64 { return t.Connections.Accepted }
func usedOf(t facts.Trial) *int64     { return t.Connections.Used }

// factor is how far off a prediction is, in either direction: 1 is exact.
func factor(predicted, measured float64) float64 {
	if measured <= 0 || predicted <= 0 {
		return math.NaN()
	}
	return math.Max(predicted/measured, measured/predicted)
}

// costs returns the proxy's processor time for a handshake (RSA 2048, TLS 1.2, full) and for a request, in
// ms, as a run shows them.
func costs(t *testing.T, run string) (handshake, request float64) {
	r := recorded(t, run)
	low, high := r.Cell("nginx-1000", facts.H2, facts.GoReplayable), r.Cell("nginx-100000", facts.H2, facts.GoReplayable)
	request = proxyCPU(high) / requests(high) * 1000
	return (proxyCPU(low)*1000 - request*requests(low)) / total(low, acceptedOf), request
}

// TestConstantsAreThoseOfTheirRuns compares each constant with its run, to the digits that it is
// written with.
func TestConstantsAreThoseOfTheirRuns(t *testing.T) {
	once, dropped := recorded(t, "repro").Cell("nginx-1000", facts.H2, facts.GoOnce), 0.0
	for _, trial := range once.Trials {
		for _, e := range trial.Errors {
			if e.Class == facts.ErrGoawayNotReplayable { // they can only be streams above the last-stream-id
				dropped += float64(e.Count)
			}
		}
	}
	perHandshake, perRequest := costs(t, calibration)
	for name, pair := range map[string][3]float64{
		"DroppedShare": {advise.DroppedShare, dropped / total(once, usedOf) / 100, 0.005},
		"RequestMS":    {advise.RequestMS, perRequest, 0.0006},
		"HandshakeRSA": {advise.HandshakeRSA, perHandshake, 0.02},
	} {
		if math.Abs(pair[0]-pair[1]) > pair[2] {
			t.Errorf("%s is %v, and its run gives %.4f", name, pair[0], pair[1])
		}
	}
}
