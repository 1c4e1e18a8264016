package advise

import (
	_ "embed"
	"encoding/json"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// measuredMap has the cells of the recorded run of SWEEP=matters that the corrections are fitted to. A test of
// cmd/h2lab writes it from testdata/recorded/matters and judges the corrections on the other cells.
//
//go:embed measured.json
var measuredMap []byte

// Measured is what the recorded run shows, as it is embedded.
type Measured struct {
	// CPUs, HandshakeMS and RequestMS are the machine's: its budget, and the processor time of a full RSA handshake
	// of TLS 1.2 and of a request.
	CPUs        float64 `json:"cpus"`
	HandshakeMS float64 `json:"handshake_ms"`
	RequestMS   float64 `json:"request_ms"`
	// Models are the fitted parameters, Judged how far off the corrected answers are at the cells that gave no
	// correction, by figure.
	Models map[Figure]Model   `json:"models"`
	Judged map[Figure]Factors `json:"judged"`
	Cells  []Cell             `json:"cells"`
}

// Factors are how far off answers are, in either direction: 1 is exact.
type Factors struct {
	Cells   int     `json:"cells"`
	Typical float64 `json:"typical"` // the median
	Worst   float64 `json:"worst"`
}

// Cell is one place behind a limit, and what was measured there.
type Cell struct {
	ID        string  `json:"id"`
	Client    Client  `json:"client"`
	InFlight  int     `json:"in_flight"`
	Pools     int     `json:"pools"`
	BackendMS float64 `json:"backend_ms"`
	RTTMS     float64 `json:"rtt_ms"`
	TLS       string  `json:"tls"`
	Key       string  `json:"key"`
	Resumed   bool    `json:"resumed"`
	Limit     int     `json:"limit"`
	// RateRPS is the goodput of the place behind the highest limit; the figures are those behind Limit.
	RateRPS    float64  `json:"rate_rps"`
	Dials      *float64 `json:"dials"`
	GoodputRPS *float64 `json:"goodput_rps"`
	AddedP99MS *float64 `json:"added_p99_ms"` // null where it is within noise
}

// Fitted reports whether a cell, by its id, belongs to the half that the corrections are fitted to. The other half
// judges them.
func Fitted(id string) bool {
	h := fnv.New32a()
	h.Write([]byte(id)) //nolint:errcheck // a hash doesn't fail
	return h.Sum32()>>16&1 == 0
}

// Question is the question that a user at this place would ask: the rate is that without renewals.
func (c Cell) Question(m Measured) Question {
	q := Question{RateRPS: c.RateRPS, InFlight: c.InFlight, Pools: c.Pools, Limit: c.Limit, Client: c.Client, Key: c.Key,
		TLS: c.TLS, BackendMS: c.BackendMS, RTTMS: c.RTTMS, CPUs: m.CPUs, RequestMS: m.RequestMS,
		HandshakeMS: m.HandshakeMS * Handshake(c.Key, c.TLS, false) / Handshake(RSA, TLS12, false)}
	if c.Resumed {
		q.ResumedShare = 1
	}
	if least := c.BackendMS + c.RTTMS; q.LatencyMS() < least {
		q.RateRPS = float64(c.InFlight) / least * 1000 // scatter of the measurement: no request is quicker
	}
	return q
}

// loaded is the embedded map, read once; nil if there is none.
var loaded = sync.OnceValue(func() *Fit {
	var m Measured
	if err := json.Unmarshal(measuredMap, &m); err != nil || len(m.Cells) == 0 {
		return nil
	}
	return NewFit(m)
})

// Figure is a number that the map corrects.
type Figure string

// The figures.
const (
	DialsFigure   Figure = "dials"
	GoodputFigure Figure = "goodput"
	P99Figure     Figure = "added p99"
)

// Figures are all of them, in the order of docs/advise.md.
var Figures = []Figure{DialsFigure, GoodputFigure, P99Figure}

// Floors below which a figure isn't corrected: less can't be told from the scatter of the measurement. A renewal's
// cost in goodput is counted in requests.
const (
	floorRequests = 5.0
	floorMS       = 1.0
	// goodputScatter is the scatter of a ratio of goodputs on the recorded map, as the standard deviation of the logarithm.
	goodputScatter = 0.1
)

// figure is a figure in the form in which a correction is a factor: dials for one renewal, requests lost for
// one renewal, and ms; nil where it is unknown.
func (f Figure) measured(c Cell) *float64 {
	switch f {
	case DialsFigure:
		return c.Dials
	case GoodputFigure:
		if c.GoodputRPS == nil || *c.GoodputRPS <= 0 {
			return nil
		}
		v := lostOf(c.Limit, *c.GoodputRPS/c.RateRPS) + floorRequests
		return &v
	}
	if c.AddedP99MS == nil {
		return nil
	}
	v := math.Max(*c.AddedP99MS, 0) + floorMS
	return &v
}

// scatter is the standard deviation of the logarithm of a measured figure that the scatter of the goodput gives it: where
// a renewal costs few of the requests between two, it costs an unknown number.
func (f Figure) scatter(c Cell) float64 {
	if f != GoodputFigure {
		return 0
	}
	return goodputScatter * (1 + float64(c.Limit) / *f.measured(c))
}

// predicted is the figure by arithmetic alone.
func (f Figure) predicted(w working) float64 {
	switch f {
	case DialsFigure:
		return w.dials
	case GoodputFigure:
		return w.lost() + floorRequests
	}
	return w.addedP99() + floorMS
}

// lostOf is how many requests are lost for one renewal, from the share of the goodput that is left.
func lostOf(limit int, left float64) float64 {
	return float64(limit) * math.Max(0, 1/left-1)
}

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
	Applied bool           `json:"applied"`
	Why     texts.Sentence `json:"why"`
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
	if why := f.outside(w); !why.IsZero() {
		c.Why = texts.Sentence(why)
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

// outside says why a question doesn't lie between the measured places; no text if it does.
func (f *Fit) outside(w working) facts.Text {
	if f == nil {
		return facts.T("advise.no-map")
	}
	q := w.q
	if q.Client == HTTP1 {
		return facts.T("advise.map-http2")
	}
	if !slices.ContainsFunc(f.Cells, func(c Cell) bool { return c.Client == q.Client }) {
		return facts.T("advise.map-client", string(q.Client))
	}
	if lo, hi := f.span(q.Client, limitOf); float64(q.Limit) < lo/slack {
		return facts.T("advise.map-limit", q.Limit, number(lo), number(hi))
	}
	for _, axis := range []struct {
		value func(working) float64
		says  func(v, lo, hi string) facts.Text
	}{
		{func(w working) float64 { return w.on },
			func(v, lo, hi string) facts.Text { return facts.T("advise.map-in-flight", v, lo, hi) }},
		{func(w working) float64 { return w.q.BackendMS },
			func(v, lo, hi string) facts.Text { return facts.T("advise.map-backend", v, lo, hi) }},
		{func(w working) float64 { return w.q.RTTMS },
			func(v, lo, hi string) facts.Text { return facts.T("advise.map-rtt", v, lo, hi) }},
		{func(w working) float64 { return math.Max(0, w.q.LatencyMS()-w.q.BackendMS-w.q.RTTMS) },
			func(v, lo, hi string) facts.Text { return facts.T("advise.map-rest", v, lo, hi) }},
	} {
		lo, hi := f.span(q.Client, axis.value)
		if v := axis.value(w); v < lo/slack || v > hi*slack {
			return axis.says(number(v), number(lo), number(hi))
		}
	}
	return facts.Text{}
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

// Model are the parameters of one figure's corrections: the weights of the trend and of the local part, the distance
// over which the local part falls off, and the scatter of a cell.
type Model struct {
	Trend  float64 `json:"trend"`
	Local  float64 `json:"local"`
	Reach  float64 `json:"reach"`
	Jitter float64 `json:"jitter"`
}

// covariance is how alike the corrections of two places are: a linear trend in every coordinate, and a
// part that only near places share (universal kriging; Rasmussen and Williams, Gaussian Processes for Machine
// Learning, §2.7).
func (m Model) covariance(a, b []float64) float64 {
	dot, far := 1.0, 0.0
	for i := range a {
		dot += a[i] * b[i]
		far += (a[i] - b[i]) * (a[i] - b[i])
	}
	return m.Trend*m.Trend*dot + m.Local*m.Local*math.Exp(-far/(2*m.Reach*m.Reach))
}

// known are measured corrections: places, logarithms, and the standard deviations that the measurements' own scatter
// gives these, besides Model.Jitter.
type known struct {
	at              [][]float64
	values, scatter []float64
}

// surface is the logarithm of a correction over all places.
type surface struct {
	model       Model
	at          [][]float64
	weights     []float64
	least, most float64 // of the known corrections
}

// newSurface fits a surface to known corrections; nil where the parameters have no solution.
func newSurface(m Model, k known) *surface {
	l := m.factorise(k)
	if l == nil {
		return nil
	}
	values := k.values
	return &surface{model: m, at: k.at, weights: l.solve(values), least: slices.Min(values), most: slices.Max(values)}
}

// triangle is a lower triangular matrix, row by row.
type triangle [][]float64

// factorise returns the Cholesky factor of the places' covariances (Golub and Van Loan, Matrix Computations,
// algorithm 4.2.1); nil without places, or if they have none.
func (m Model) factorise(known known) triangle {
	at := known.at
	if len(at) == 0 {
		return nil
	}
	l := make(triangle, len(at))
	for i := range at {
		l[i] = make([]float64, i+1)
		for j := range i + 1 {
			v := m.covariance(at[i], at[j])
			if i == j {
				v += m.Jitter*m.Jitter + known.scatter[i]*known.scatter[i]
			}
			for k := range j {
				v -= l[i][k] * l[j][k]
			}
			switch {
			case i != j:
				l[i][j] = v / l[j][j]
			case v > 0:
				l[i][i] = math.Sqrt(v)
			default:
				return nil
			}
		}
	}
	return l
}

// solve returns the weights with which the covariances give the values.
func (l triangle) solve(values []float64) []float64 {
	x := slices.Clone(values)
	for i := range l {
		for k := range i {
			x[i] -= l[i][k] * x[k]
		}
		x[i] /= l[i][i]
	}
	for i := len(l) - 1; i >= 0; i-- {
		for k := i + 1; k < len(l); k++ {
			x[i] -= l[k][i] * x[k]
		}
		x[i] /= l[i][i]
	}
	return x
}

// value is the correction's logarithm at a place.
func (s *surface) value(x []float64) (sum float64) {
	for i, at := range s.at {
		sum += s.weights[i] * s.model.covariance(at, x)
	}
	return sum
}

// left is how unlikely the known corrections are, each judged by a fit to all others: the mean negative logarithm of the
// predictive density (Rasmussen and Williams, eq. 5.10 to 5.12); infinite where the parameters have no solution.
func (m Model) left(k known) float64 {
	l := m.factorise(k)
	if l == nil {
		return math.Inf(1)
	}
	weights, sum := l.solve(k.values), 0.0
	for i := range k.at {
		unit := make([]float64, len(k.at))
		unit[i] = 1
		precision := l.solve(unit)[i]
		sum += weights[i]*weights[i]/precision - math.Log(precision)
	}
	return sum / float64(2*len(k.at))
}

// fitting returns the parameters with which places that are left out of the fit are predicted best.
func fitting(k known) (best Model) {
	least := math.Inf(1)
	for _, trend := range []float64{0.1, 0.3, 1} {
		for _, local := range []float64{0.2, 0.4, 0.8} {
			for _, reach := range []float64{0.5, 0.8, 1.2, 2} {
				for _, jitter := range []float64{0.05, 0.1, 0.2, 0.4} {
					m := Model{trend, local, reach, jitter}
					if e := m.left(k); e < least {
						least, best = e, m
					}
				}
			}
		}
	}
	return best
}
