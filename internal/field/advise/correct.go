package advise

import (
	"fmt"
	"math"
	"slices"
)

// Fit are the corrections of a measured map.
type Fit struct {
	Measured
	surfaces map[Figure]*surface
}

// NewFit fits corrections to the cells of a map, with its parameters; FitModels finds these.
func NewFit(m Measured) *Fit {
	f := &Fit{Measured: m, surfaces: map[Figure]*surface{}}
	for _, figure := range Figures {
		if s := newSurface(m.Models[figure], f.known(figure)); s != nil {
			f.surfaces[figure] = s
		}
	}
	return f
}

// FitModels finds the parameters of a map's corrections from its own cells.
func FitModels(m Measured) map[Figure]Model {
	out := map[Figure]Model{}
	f := Fit{Measured: m}
	for _, figure := range Figures {
		if k := f.known(figure); len(k.at) > 0 {
			out[figure] = fitting(k)
		}
	}
	return out
}

// known are the places whose figure was measured, and the logarithm of what arithmetic is to be multiplied by.
func (f *Fit) known(figure Figure) (k known) {
	for _, c := range f.Cells {
		v := figure.measured(c)
		if v == nil || c.Client == SingleDial && figure == DialsFigure {
			continue // one dial by definition
		}
		w := work(c.Question(f.Measured))
		k.at, k.values = append(k.at, coordinates(w)), append(k.values, math.Log(*v/figure.predicted(w)))
		k.scatter = append(k.scatter, figure.scatter(c))
	}
	return k
}

// Coordinates are scaled so that neighbouring places of the map are about 1 apart.
func coordinates(w working) []float64 {
	q := w.q
	flag := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	pools := float64(q.Pools)
	return []float64{math.Log(w.on) / 1.2, math.Log(pools) / 1.4, math.Log(w.conns/pools) / 1.4,
		math.Log(float64(q.Limit)) / 2.3, math.Log1p(q.BackendMS/2) / 1.1, math.Log1p(q.RTTMS/2) / 1.1, 2 - w.flights,
		flag(q.Key == ECDSA), q.ResumedShare, flag(q.Client == SingleDial)}
}

// Correction has the factors by which the measured map corrects the answer to a question.
type Correction struct {
	// Applied is false where the map has no answer; Why says why.
	Applied bool   `json:"applied"`
	Why     string `json:"why"`
	// Cells is how many measured cells the corrections rest on.
	Cells int `json:"cells"`
	// Dials, Lost and AddedP99 are the factors by which the measured map corrects the arithmetic: of the connections
	// dialled, of the requests lost and of the p99 added by a renewal.
	Dials    float64 `json:"dials"`
	Lost     float64 `json:"lost"`
	AddedP99 float64 `json:"added_p99"`
	// OffBy says how far off corrected answers are at the map's cells that gave no correction.
	OffBy map[Figure]Factors `json:"off_by"`
}

// uncorrected leaves the arithmetic as it is.
func uncorrected() Correction {
	return Correction{Dials: 1, Lost: 1, AddedP99: 1, OffBy: map[Figure]Factors{}}
}

// Correct looks a question up on the embedded map.
func Correct(q Question) Correction { return loaded().correct(work(q.Usual())) }

func (f *Fit) correct(w working) Correction {
	c := uncorrected()
	if c.Why = f.outside(w); c.Why != "" {
		return c
	}
	c.Applied, c.Cells, c.OffBy = true, len(f.Cells), f.Judged
	_, most := f.span(w.q.Client, limitOf)
	beyond := float64(w.q.Limit) > most
	w.q.Limit = int(math.Min(float64(w.q.Limit), most)) // a renewal costs the same behind a higher limit
	x := coordinates(w)
	for figure, to := range map[Figure]*float64{DialsFigure: &c.Dials, GoodputFigure: &c.Lost, P99Figure: &c.AddedP99} {
		if s := f.surfaces[figure]; s != nil {
			*to = math.Exp(math.Min(s.most, math.Max(s.least, s.value(x))))
		}
	}
	if w.q.Client == SingleDial {
		c.Dials = 1
	}
	if beyond {
		c.AddedP99 = 1 // fewer requests wait than at any measured limit
	}
	return c
}

// addedP99 and lost correct what arithmetic says. The floors that the factors were fitted with stay uncorrected. Waits
// that don't show in the 99th percentile add nothing to it.
func (c Correction) addedP99(ms float64) float64 {
	if ms == 0 {
		return 0
	}
	return math.Max(0, (ms+floorMS)*c.AddedP99-floorMS)
}
func (c Correction) lost(requests float64) float64 {
	return math.Max(0, (requests+floorRequests)*c.Lost-floorRequests)
}

// slack is how far beyond the measured places a question may lie: a fifth.
const slack = 1.2

// outside says why a question doesn't lie between the measured places; "" if it does.
func (f *Fit) outside(w working) string {
	if f == nil {
		return "there is no recorded map in this build"
	}
	q := w.q
	if q.Client == HTTP1 {
		return "the map is of HTTP/2"
	}
	if !slices.ContainsFunc(f.Cells, func(c Cell) bool { return c.Client == q.Client }) {
		return fmt.Sprintf("the map has no cell of %s", q.Client)
	}
	if lo, hi := f.span(q.Client, limitOf); float64(q.Limit) < lo/slack {
		return fmt.Sprintf("the limit is %d, and the map has %s to %s", q.Limit, number(lo), number(hi))
	}
	for _, axis := range []struct {
		name, unit string
		value      func(working) float64
	}{
		{"requests in flight on one connection", "", func(w working) float64 { return w.on }},
		{"the backend's time", " ms", func(w working) float64 { return w.q.BackendMS }},
		{"the round trip", " ms", func(w working) float64 { return w.q.RTTMS }},
		{"the time of a request beside both", " ms", func(w working) float64 {
			return math.Max(0, w.q.LatencyMS()-w.q.BackendMS-w.q.RTTMS)
		}},
	} {
		lo, hi := f.span(q.Client, axis.value)
		if v := axis.value(w); v < lo/slack || v > hi*slack {
			return fmt.Sprintf("%s is %s%s, and the map has %s to %s%s", axis.name, number(v), axis.unit, number(lo), number(hi),
				axis.unit)
		}
	}
	return ""
}

func limitOf(w working) float64 { return float64(w.q.Limit) }

// span is the range of a value over the map's cells of a kind of client.
func (f *Fit) span(client Client, value func(working) float64) (lo, hi float64) {
	lo = math.Inf(1)
	for _, c := range f.Cells {
		if c.Client == client {
			v := value(work(c.Question(f.Measured)))
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}
