package sweepverdicts

import (
	"h2lab/internal/facts"
)

// Figure is one relation of a published comparison. Only ratios are compared: the published
// absolute numbers belong to other machines.
type Figure struct {
	ID    string
	sweep *Sweep
	// What names the compared numbers.
	What facts.Text
	// Shown are the published numbers, Ratio their ratio.
	Shown string
	Ratio float64
	// measure is read at a and at b; a nil b stands for the wait of a's requests in ms.
	measure Measure
	a, b    *spot
	// Near is true where the published ratio is so close to 1 that its direction is no statement.
	Near bool
}

// spot is a cell without a proxy: the first of some clients that the run has.
type spot struct {
	clients []facts.Client
	place   Place
}

func at(users, delay int, clients ...facts.Client) *spot { return &spot{clients, Place{users, delay}} }

// The callers and servers of the published comparisons, by their names in services/spring.
const (
	restTemplate = facts.Client("resttemplate-pool")
	asyncRest    = facts.Client("asyncresttemplate")
	webClient    = facts.Client("webclient-h1")
	serverSync   = facts.Client("server-sync")
	commonPool   = facts.Client("server-cf-common")
	pool500      = facts.Client("server-cf-500")
	flux         = facts.Client("server-flux")
	mono         = facts.Client("server-mono-netty")
)

// Source is where a sweep's published figures come from.
func (s *Sweep) Source() facts.Text {
	switch s {
	case &Callers:
		return facts.T("sweepverdict.published-load-test-resttemplate")
	case &Burst:
		return facts.T("sweepverdict.published-comparison-spring-mvc")
	case &LowLatency:
		return facts.T("sweepverdict.webflux-2020-04-12")
	}
	return facts.T("sweepverdict.published-comparison-asynchronous-spring")
}

// Figures are the published relations, in the order of the sweeps.
var Figures = []Figure{
	{ID: "callers-webclient-throughput", sweep: &Callers, What: facts.T("sweepverdict.callers-webclient-throughput"),
		Shown: "1,334 ÷ 972", Ratio: 1334.0 / 972, measure: Goodput, a: at(800, 100, webClient),
		b: at(800, 100, restTemplate)},
	{ID: "callers-async-throughput", sweep: &Callers, What: facts.T("sweepverdict.callers-async-throughput"),
		Shown: "981 ÷ 972", Ratio: 981.0 / 972, measure: Goodput, a: at(800, 100, asyncRest),
		b: at(800, 100, restTemplate), Near: true},
	{ID: "callers-async-p95", sweep: &Callers, What: facts.T("sweepverdict.callers-async-p95"),
		Shown: "533 ms ÷ 127 ms", Ratio: 533.0 / 127, measure: P95, a: at(800, 100, restTemplate),
		b: at(800, 100, asyncRest)},
	{ID: "callers-threads", sweep: &Callers, What: facts.T("sweepverdict.callers-threads"),
		Shown: "232 ÷ 43", Ratio: 232.0 / 43, measure: Threads, a: at(800, 100, restTemplate),
		b: at(800, 100, webClient)},
	{ID: "callers-webclient-scales", sweep: &Callers, What: facts.T("sweepverdict.callers-webclient-scales"),
		Shown: "8,308 ÷ 1,334", Ratio: 8308.0 / 1334, measure: Goodput, a: at(5000, 100, webClient),
		b: at(800, 100, webClient)},
	{ID: "burst-webflux-wait", sweep: &Burst, What: facts.T("sweepverdict.burst-webflux-wait"),
		Shown: "20 s ÷ 1.7 s", Ratio: 20 / 1.7, measure: Total, a: at(10000, 1000, mono, flux),
		b: at(10000, 50, mono, flux)},
	{ID: "burst-mvc", sweep: &Burst, What: facts.T("sweepverdict.burst-mvc"),
		Shown: "≥ 2.9 s ÷ 1.7 s", Ratio: 2.9 / 1.7, measure: Total, a: at(10000, 50, serverSync),
		b: at(10000, 50, mono, flux)},
	{ID: "async-common-pool", sweep: &Async,
		What:  facts.T("sweepverdict.async-common-pool"),
		Shown: "162.9 ms ÷ 16.4 ms", Ratio: 162.9 / 16.4, measure: Mean, a: at(100, 10, commonPool),
		b: at(100, 10, serverSync)},
	{ID: "async-pool-500", sweep: &Async,
		What:  facts.T("sweepverdict.async-pool-500"),
		Shown: "18.1 ms ÷ 16.4 ms", Ratio: 18.1 / 16.4, measure: Mean, a: at(100, 10, pool500),
		b: at(100, 10, serverSync), Near: true},
	{ID: "async-pool-500-full", sweep: &Async, What: facts.T("sweepverdict.async-pool-500-full"), Shown: "837 ms ÷ 500 ms",
		Ratio: 837.0 / 500, measure: Mean, a: at(800, 500, pool500)},
	{ID: "async-flux", sweep: &Async, What: facts.T("sweepverdict.async-flux"),
		Shown: "535 ms ÷ 500 ms", Ratio: 535.0 / 500, measure: Mean, a: at(1000, 500, flux, mono), Near: true},
	{ID: "async-flux-scales", sweep: &Async, What: facts.T("sweepverdict.async-flux-scales"),
		Shown: "551 ms ÷ 535 ms", Ratio: 551.0 / 535, measure: Mean, a: at(2000, 500, flux, mono),
		b: at(1000, 500, flux, mono), Near: true},
}
