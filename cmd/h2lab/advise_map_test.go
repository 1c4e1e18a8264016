package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/facts"
	"h2lab/internal/field/advise"
	"h2lab/internal/judge/mattersverdicts"
)

// The map that advise is corrected by.
const (
	recordedMap = "matters"
	embeddedMap = "../../internal/field/advise/measured.json"
)

// kindsOfGo are Go's clients as advise names them. OkHttp dials in another way.
var kindsOfGo = map[facts.Client]advise.Client{facts.GoReplayable: advise.Stampede, facts.GoOnce: advise.Stampede,
	facts.GoSingleDial: advise.SingleDial}

// mapCells are the cells of a map with numbers of their own, of Go's clients in a closed loop.
func mapCells(m mattersverdicts.Map) (out []advise.Cell) {
	for _, p := range m.Places {
		kind, known := kindsOfGo[p.Client]
		if !known || p.Protocol != facts.H2 || p.Arrivals != "" || p.Distance != (facts.Distance{RTTMS: p.RTTMS}) {
			continue
		}
		for _, limit := range m.Limits() {
			c := m.Cost(p, limit)
			rate := mattersverdicts.GoodputOf(c.High)
			if c.Source != mattersverdicts.Measured || rate == nil {
				continue
			}
			cell := advise.Cell{ID: c.Low.ID(), Client: kind, InFlight: p.InFlight, Pools: p.Pools,
				BackendMS: float64(p.BackendMS), RTTMS: p.RTTMS, TLS: p.TLS, Key: p.Key, Resumed: p.Resume, Limit: limit,
				RateRPS: *short(rate), Dials: short(c.Dials()), GoodputRPS: short(mattersverdicts.GoodputOf(c.Low))}
			if c.P99 != nil && c.P99.Told && *c.AddedMS > 0 {
				cell.AddedP99MS = short(c.AddedMS)
			}
			out = append(out, cell)
		}
	}
	return out
}

// short rounds to four digits, which is more than the numbers are worth.
func short(v *float64) *float64 {
	if v == nil {
		return nil
	}
	x, _ := strconv.ParseFloat(strconv.FormatFloat(*v, 'g', 4, 64), 64)
	return &x
}

// measuredHalf is what advise embeds of a run, and the cells that judge it.
func measuredHalf(t *testing.T, r *facts.Result) (advise.Measured, []advise.Cell) {
	t.Helper()
	m := mattersverdicts.New(r)
	handshake, request := costsOnMap(t, m)
	out := advise.Measured{CPUs: *r.Run.CPUs, HandshakeMS: *short(&handshake), RequestMS: *short(&request)}
	var others []advise.Cell
	for _, c := range mapCells(m) {
		if advise.Fitted(c.ID) {
			out.Cells = append(out.Cells, c)
		} else {
			others = append(others, c)
		}
	}
	out.Models = advise.FitModels(out)
	return out, others
}

// costsOnMap are the proxy's processor time for a handshake (RSA 2048, TLS 1.2, full) and for a request, in ms, at the
// place without a delay and a distance.
func costsOnMap(t *testing.T, m mattersverdicts.Map) (handshake, request float64) {
	t.Helper()
	base, _ := m.Base()
	for _, p := range m.Of(base) {
		low, high := m.Cell(p, 1000), m.Cell(p, m.High)
		if p.Spot == (mattersverdicts.Spot{}) && low != nil && high != nil {
			request = proxyCPU(high) / requests(high) * 1000
			return (proxyCPU(low)*1000 - request*requests(low)) / total(low, acceptedOf), request
		}
	}
	t.Fatal("the map has no place without a delay and a distance behind limit 1000")
	return 0, 0
}

// offBy is how far off an answer is at a cell, by figure; figures that the cell doesn't tell are left out.
// Less than a millisecond of p99 can't be told from the scatter.
func offBy(a advise.Answer, c advise.Cell) map[advise.Figure]float64 {
	out := map[advise.Figure]float64{}
	if c.Dials != nil && c.Client != advise.SingleDial {
		out[advise.DialsFigure] = factor(a.WastedPerRenewal+1, *c.Dials)
	}
	if c.GoodputRPS != nil {
		out[advise.GoodputFigure] = factor(a.GoodputRPS, *c.GoodputRPS)
	}
	if c.AddedP99MS != nil {
		out[advise.P99Figure] = factor(math.Max(1, a.AddedP99MS), math.Max(1, *c.AddedP99MS))
	}
	return out
}

// judged are the factors of a fit over some cells, and a row for each limit.
func judged(f *advise.Fit, cells []advise.Cell, only func(advise.Cell) bool) map[advise.Figure]advise.Factors {
	all := map[advise.Figure][]float64{}
	for _, c := range cells {
		if !only(c) {
			continue
		}
		for figure, x := range offBy(f.Predict(c.Question(f.Measured)), c) {
			if !math.IsNaN(x) {
				all[figure] = append(all[figure], x)
			}
		}
	}
	out := map[advise.Figure]advise.Factors{}
	for figure, x := range all {
		slices.Sort(x)
		typical, worst := x[len(x)/2], x[len(x)-1]
		out[figure] = advise.Factors{Cells: len(x), Typical: *short(&typical), Worst: *short(&worst)}
	}
	return out
}

// mapTable has a row for each part of the map.
func mapTable(f *advise.Fit, others []advise.Cell) string {
	var b strings.Builder
	b.WriteString("| cells that gave no correction |")
	for _, figure := range advise.Figures {
		fmt.Fprintf(&b, " %s: cells | typical factor | worst factor |", figure)
	}
	b.WriteString("\n|---|---|---|---|---|---|---|---|---|---|\n")
	row := func(name string, only func(advise.Cell) bool) {
		fmt.Fprintf(&b, "| %s |", name)
		of := judged(f, others, only)
		for _, figure := range advise.Figures {
			if x, ok := of[figure]; ok {
				fmt.Fprintf(&b, " %d | %.2f | %.2f |", x.Cells, x.Typical, x.Worst)
			} else {
				b.WriteString(" 0 | – | – |")
			}
		}
		b.WriteString("\n")
	}
	row("all", func(advise.Cell) bool { return true })
	for _, limit := range []int{100, 1000, 10_000} {
		row(fmt.Sprintf("limit %d", limit), func(c advise.Cell) bool { return c.Limit == limit })
	}
	row("backend of 20 ms or more", func(c advise.Cell) bool { return c.BackendMS >= 20 })
	row("round trip of 5 ms or more", func(c advise.Cell) bool { return c.RTTMS >= 5 })
	row("one dial at a time", func(c advise.Cell) bool { return c.Client == advise.SingleDial })
	return b.String()
}

// TestAdviceIsCorrectedByHalfOfTheMapAndJudgedOnTheOther writes the corrections that advise embeds, and the table of
// docs/advise.md. Without a recorded map it embeds none.
func TestAdviceIsCorrectedByHalfOfTheMapAndJudgedOnTheOther(t *testing.T) {
	table, want := "No map is recorded yet, so nothing is corrected.\n", advise.Measured{Cells: []advise.Cell{}}
	if _, err := os.Stat(filepath.Join(recordedRuns, recordedMap)); !errors.Is(err, fs.ErrNotExist) {
		half, others := measuredHalf(t, recorded(t, recordedMap))
		fit := advise.NewFit(half)
		half.Judged = judged(fit, others, func(advise.Cell) bool { return true })
		want, table = half, mapTable(fit, others)
		for figure, of := range half.Judged {
			if p := mapPromises[figure]; of.Typical > p[0] || of.Worst > p[1] {
				t.Errorf("%s: typical factor %.2f, worst %.2f; advise promises %v", figure, of.Typical, of.Worst, p)
			}
		}
	}
	b, err := json.MarshalIndent(want, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	if *update {
		if err := os.WriteFile(embeddedMap, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(embeddedMap)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(b) {
		t.Errorf("%s isn't what the recorded map gives: go test ./cmd/h2lab -run Advice -update", embeddedMap)
	}
	between(t, "../../docs/advise.md", "map", table)
}

// mapPromises are the typical and the worst factor that the table of the map may show.
var mapPromises = map[advise.Figure][2]float64{advise.DialsFigure: {1.25, 2}, advise.GoodputFigure: {1.25, 2},
	advise.P99Figure: {1.25, 2}}
