package main

import (
	"cmp"
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

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/advise"
	"h2lab/internal/judge/limitmap"
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
func mapCells(m limitmap.Map) (out []advise.Cell) {
	for _, p := range m.Places {
		kind, known := kindsOfGo[p.Client]
		if !known || p.Protocol != facts.H2 || p.Arrivals != "" || p.Distance != (facts.Distance{RTTMS: p.RTTMS}) {
			continue
		}
		for _, limit := range m.Limits() {
			c := m.Cost(p, limit)
			rate := limitmap.GoodputOf(c.High)
			if c.Source != limitmap.Measured || rate == nil {
				continue
			}
			cell := advise.Cell{ID: c.Low.ID(), Client: kind, InFlight: p.InFlight, Pools: p.Pools,
				BackendMS: float64(p.BackendMS), RTTMS: p.RTTMS, TLS: p.TLS, Key: p.Key, Resumed: p.Resume, Limit: limit,
				RateRPS: *short(rate), Dials: short(c.Dials()), GoodputRPS: short(limitmap.GoodputOf(c.Low))}
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

// noiseOnMap has, for the cells whose p99 can't be told from that behind the highest limit, the largest added p99 in ms that
// their interval includes.
func noiseOnMap(m limitmap.Map) map[string]float64 {
	out := map[string]float64{}
	for _, p := range m.Places {
		for _, limit := range m.Limits() {
			c := m.Cost(p, limit)
			if c.Source == limitmap.Measured && c.P99 != nil && !c.P99.Told && c.P99.Value != 1 {
				out[c.Low.ID()] = *c.AddedMS / (c.P99.Value - 1) * (*c.P99.Hi - 1)
			}
		}
	}
	return out
}

// measuredHalf is what advise embeds of a run, and the cells that judge it; swapped, it is the other half.
func measuredHalf(t *testing.T, m limitmap.Map, swapped bool) (advise.Measured, []advise.Cell) {
	t.Helper()
	handshake, request := costsOnMap(t, m)
	out := advise.Measured{CPUs: *m.Result.Run.CPUs, HandshakeMS: *short(&handshake), RequestMS: *short(&request)}
	var others []advise.Cell
	for _, c := range mapCells(m) {
		if advise.Fitted(c.ID) != swapped {
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
func mapTable(f, swapped *advise.Fit, others, fitted []advise.Cell) string {
	var b strings.Builder
	b.WriteString("| cells that gave no correction |")
	for _, figure := range advise.Figures {
		fmt.Fprintf(&b, " %s: cells | typical factor | worst factor |", figure)
	}
	b.WriteString("\n|---|---|---|---|---|---|---|---|---|---|\n")
	row := func(name string, f *advise.Fit, cells []advise.Cell, only func(advise.Cell) bool) {
		fmt.Fprintf(&b, "| %s |", name)
		of := judged(f, cells, only)
		for _, figure := range advise.Figures {
			if x, ok := of[figure]; ok {
				fmt.Fprintf(&b, " %d | %.2f | %.2f |", x.Cells, x.Typical, x.Worst)
			} else {
				b.WriteString(" 0 | – | – |")
			}
		}
		b.WriteString("\n")
	}
	row("all", f, others, all)
	for _, limit := range []int{100, 1000, 10_000} {
		row(fmt.Sprintf("limit %d", limit), f, others, func(c advise.Cell) bool { return c.Limit == limit })
	}
	row("backend of 20 ms or more", f, others, func(c advise.Cell) bool { return c.BackendMS >= 20 })
	row("round trip of 5 ms or more", f, others, func(c advise.Cell) bool { return c.RTTMS >= 5 })
	row("one dial at a time", f, others, func(c advise.Cell) bool { return c.Client == advise.SingleDial })
	row("the halves swapped: all", swapped, fitted, all)
	row("both halves, by arithmetic alone", uncorrected(f), slices.Concat(others, fitted), all)
	return b.String()
}

func all(advise.Cell) bool { return true }

// uncorrected has the costs of a map and no corrections.
func uncorrected(f *advise.Fit) *advise.Fit {
	return advise.NewFit(advise.Measured{CPUs: f.CPUs, HandshakeMS: f.HandshakeMS, RequestMS: f.RequestMS})
}

// farOff are the figures of cells that are off by more than a factor of 2, the worst first.
func farOff(f *advise.Fit, cells []advise.Cell) string {
	type far struct {
		x    float64
		text string
	}
	var out []far
	for _, c := range cells {
		a := f.Predict(c.Question(f.Measured))
		for figure, x := range offBy(a, c) {
			if x > 2 {
				out = append(out, far{x, fmt.Sprintf("- `%s`: %s, × %.2f", c.ID, figure, x)})
			}
		}
	}
	slices.SortFunc(out, func(a, b far) int { return cmp.Compare(b.x, a.x) })
	var b strings.Builder
	for _, o := range out {
		b.WriteString(o.text + "\n")
	}
	return b.String()
}

// withinNoise counts the cells whose added p99 is within noise, and those of them whose answer is within the same
// noise.
func withinNoise(f *advise.Fit, cells []advise.Cell, noise map[string]float64) (right, of int) {
	for _, c := range cells {
		if most, ok := noise[c.ID]; ok {
			of++
			if f.Predict(c.Question(f.Measured)).AddedP99MS <= most {
				right++
			}
		}
	}
	return right, of
}

// TestAdviceIsCorrectedByHalfOfTheMapAndJudgedOnTheOther writes the corrections that advise embeds, and the table of
// docs/advise.md. Without a recorded map it embeds none.
func TestAdviceIsCorrectedByHalfOfTheMapAndJudgedOnTheOther(t *testing.T) {
	table, want := "No map is recorded yet, so nothing is corrected.\n", advise.Measured{Cells: []advise.Cell{}}
	if _, err := os.Stat(filepath.Join(recordedRuns, recordedMap)); !errors.Is(err, fs.ErrNotExist) {
		want, table = judgedMap(t, limitmap.New(recorded(t, recordedMap)))
	}
	b, err := json.MarshalIndent(want, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	if *update {
		labtest.Write(t, embeddedMap, string(b))
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

// judgedMap is what advise embeds of a map, and the text of docs/advise.md.
func judgedMap(t *testing.T, m limitmap.Map) (advise.Measured, string) {
	t.Helper()
	half, others := measuredHalf(t, m, false)
	second, fitted := measuredHalf(t, m, true)
	fit, swapped := advise.NewFit(half), advise.NewFit(second)
	half.Judged = judged(fit, others, all)
	keeps(t, "judged by the second half", half.Judged, mapPromises)
	keeps(t, "the halves swapped", judged(swapped, fitted, all), swappedPromises)
	keeps(t, "arithmetic alone", judged(uncorrected(fit), slices.Concat(others, fitted), all), alonePromises)
	right, of := withinNoise(fit, others, noiseOnMap(m))
	if of == 0 || 10*right < 9*of {
		t.Errorf("%d of %d cells whose added p99 is within noise have answers within noise, want nine of ten", right, of)
	}
	return half, fmt.Sprintf("%s\nOf the %d cells whose added p99 is within noise, %d have an answer within the same noise.\n\n"+
		"Off by more than a factor of 2:\n\n%s\nOff by more than a factor of 2 with the halves swapped:\n\n%s",
		mapTable(fit, swapped, others, fitted), of, right, farOff(fit, others), farOff(swapped, fitted))
}

func keeps(t *testing.T, how string, got map[advise.Figure]advise.Factors, promises map[advise.Figure][2]float64) {
	t.Helper()
	for figure, p := range promises {
		if of := got[figure]; of.Cells == 0 || of.Typical > p[0] || of.Worst > p[1] {
			t.Errorf("%s, %s: %d cells, typical factor %.2f, worst %.2f; advise promises %v", how, figure, of.Cells, of.Typical,
				of.Worst, p)
		}
	}
}

// The typical and the worst factor that the table of the map may show. docs/advise.md says where the goal of 2 isn't
// met.
var (
	mapPromises = map[advise.Figure][2]float64{advise.DialsFigure: {1.25, 2}, advise.GoodputFigure: {1.25, 2},
		advise.P99Figure: {1.25, 2.4}}
	swappedPromises = map[advise.Figure][2]float64{advise.DialsFigure: {1.25, 2.2}, advise.GoodputFigure: {1.25, 2.5},
		advise.P99Figure: {1.25, 7.2}}
	alonePromises = map[advise.Figure][2]float64{advise.DialsFigure: {1.25, 3.3}, advise.GoodputFigure: {1.2, 2.8},
		advise.P99Figure: {1.3, 7}}
)
