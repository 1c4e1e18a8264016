package advise

import (
	_ "embed"
	"encoding/json"
	"hash/fnv"
	"math"
	"sync"
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
