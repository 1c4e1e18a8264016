// Package facts has the types of the project: topology, workload, cell, trial, observation, result
// and verdict.
//
// The packages below internal/lab measure and fill these types; those below internal/judge and
// internal/report read them. Neither side imports the other, so the same code judges and draws a
// new results file and one recorded a year ago.
//
// The JSON names of the types are a contract: docs/results.md describes them and results.schema.json
// checks them. The package imports no other package of the module.
package facts

import (
	"fmt"
	"math"
	"strings"
)

// Protocol is what a client uses to the front of a topology.
type Protocol string

// The two protocols that are compared.
const (
	H1 Protocol = "h1" // HTTP/1.1
	H2 Protocol = "h2" // HTTP/2
)

// Kind is which program a server is; it decides how its counters are read.
type Kind string

// The programs that the lab starts.
const (
	Nginx   Kind = "nginx"
	Envoy   Kind = "envoy"
	Backend Kind = "backend"
	// Gateway is Spring Cloud Gateway, Service an application of services/ that calls a topology.
	Gateway Kind = "gateway"
	Service Kind = "service"
)

// MaxConcurrentStreams is SETTINGS_MAX_CONCURRENT_STREAMS in every configuration of the lab. 128 is
// nginx's default (http2_max_concurrent_streams); the other servers are set to it, so that a pool
// with more requests in flight needs a second connection everywhere or nowhere.
const MaxConcurrentStreams = 128

// Server is one process (with its children) that a topology needs.
type Server struct {
	// Name is unique in the lab. It is also the name of the Compose service and of the cgroup, and
	// the prefix of the server's log files.
	Name string
	Kind Kind
	// Config is its whole configuration file, relative to the project's root.
	// Empty for the backend, which takes flags.
	Config string
	// Front is the address of its TLS listener, as clients dial it.
	Front string
	// Counters is the loopback-only address of its counters: nginx's stub_status, Envoy's admin
	// interface, the backend's ledger.
	Counters string
	// UsedLog is nginx's access log of first requests, relative to the project's root: one line for
	// each used connection.
	UsedLog string
	// HundredsLog is nginx's access log of every hundredth request of a connection, relative to the
	// project's root. All nginx servers of the lab write to it; a line begins with the port of
	// Front.
	HundredsLog string
	// MinVersion is the oldest version that accepts Config, or empty.
	MinVersion string
	// Argv starts a Gateway or a Service: its program, and the arguments before the shared ones.
	Argv []string
	// Upstreams are what a Gateway or a Service calls: addresses of TLS fronts, by name.
	Upstreams []Upstream
}

// Upstream is a TLS front that a service calls.
type Upstream struct {
	Name  string // in the service's URLs: /through/NAME/…
	Front string
}

// Topology is a chain of servers from a client to the backend.
type Topology struct {
	// Name has the limit in force: nginx-1000 is nginx-100 in a run with LIMIT=100.
	Name string
	// Title describes the topology in a few words.
	Title Text
	// Servers are in the order in which a request passes them: clients dial the first, the last is
	// the backend.
	Servers []Server
	// Limit is how many requests the front allows on one connection; 0 is none.
	Limit int
	// Drains is true where the limit starts a two-stage shutdown: the server still answers requests
	// that arrive while it drains, so a connection carries Limit requests or more.
	Drains bool
	// LimitDirective is the name of the limit in the front's configuration.
	LimitDirective string
}

// Front is the server that clients dial.
func (t Topology) Front() Server { return t.Servers[0] }

// Proxies are the servers before the backend.
func (t Topology) Proxies() []Server { return t.Servers[:len(t.Servers)-1] }

// BackendServer is the last server.
func (t Topology) BackendServer() Server { return t.Servers[len(t.Servers)-1] }

// Client names a load-generating program and its mode.
type Client string

// The clients of the lab.
const (
	// K6SharedPool has one k6 VU for each application, with CONCURRENCY requests in flight on its
	// pool.
	K6SharedPool Client = "k6-shared-pool"
	// K6ConnectionPerVU is the usual script: every VU has its own connection. It hides the fault.
	K6ConnectionPerVU Client = "k6-connection-per-vu"
	// GoReplayable is Go's net/http with bodies that it can send again (GetBody is set).
	GoReplayable Client = "go-replayable"
	// GoOnce is the same with a body that can be read only once.
	GoOnce Client = "go-once"
	// GoSingleDial is GoReplayable with MaxConnsPerHost 1 on h2, CONCURRENCY on h1.
	GoSingleDial Client = "go-single-dial"
)

// The programs that generate the load of a service's users; they are no clients of a topology.
const (
	// GoUsers is the Go client with a connection for each user and a pause for thought.
	GoUsers Client = "go-users"
	// GoBurst is the Go client with one request for each user, all at once.
	GoBurst Client = "go-burst"
	// Ab is ApacheBench with keep-alive (ab -k).
	Ab Client = "ab"
)

// Clients lists every client, in the order they are printed.
var Clients = []Client{K6SharedPool, K6ConnectionPerVU, GoReplayable, GoOnce, GoSingleDial}

// SharesPool reports whether all requests of the client share one pool, as in an application,
// rather than a connection for each user.
func (c Client) SharesPool() bool { return c != K6ConnectionPerVU }

// Workload is the load that a client generates.
type Workload struct {
	Method      string  `json:"method"`
	BodyBytes   int     `json:"body_bytes"`
	DelayMS     int     `json:"delay_ms"`
	Concurrency int     `json:"concurrency"`
	Pools       int     `json:"pools"`
	WarmupS     float64 `json:"warmup_s"`
	DurationS   float64 `json:"duration_s"`
	// MaxTLS is the highest TLS version the client offers, "1.2" or "1.3".
	MaxTLS string `json:"max_tls"`
	// ThinkMS is how long a user waits between an answer and the next request.
	ThinkMS int `json:"think_ms,omitempty"`
	// Requests is the number of requests of a load that has no window: a burst, or ab's.
	Requests int `json:"requests,omitempty"`
	// NoCall makes the service wait DelayMS itself and call nothing.
	NoCall bool `json:"no_call,omitempty"`
	// Distance is the line between client and servers.
	Distance Distance `json:"distance,omitzero"`
	// RatePerS is how many requests arrive in a second, over all pools, whether or not earlier ones are
	// answered: an open loop. Concurrency is then the most that may be in flight. 0 is a closed loop,
	// which keeps Concurrency requests in flight.
	RatePerS float64 `json:"rate_per_s,omitempty"`
	// Arrivals is how the requests of an open loop are spaced.
	Arrivals Arrivals `json:"arrivals,omitempty"`
	// Key is the certificate's key, where a run has several: "rsa" or "ecdsa".
	Key string `json:"key,omitempty"`
	// Resume makes the client keep TLS sessions and resume them.
	Resume bool `json:"resume,omitempty"`
}

// Path is the backend's path for this workload: /echo returns the request's body, /delay has none
// to return. Both wait ms milliseconds first. /wait is the service's own.
func (w Workload) Path() string {
	if w.NoCall {
		return fmt.Sprintf("/wait?ms=%d", w.DelayMS)
	}
	if w.Method == "GET" || w.Method == "HEAD" {
		return fmt.Sprintf("/delay?ms=%d", w.DelayMS)
	}
	return fmt.Sprintf("/echo?ms=%d", w.DelayMS)
}

// Body is the request's body: digits "1".
func (w Workload) Body() string { return strings.Repeat("1", w.BodyBytes) }

// ceilDiv is a / b, rounded up.
func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// Expected is how many connections a client needs, from its first request on, to send that many
// requests. The h2 requests of a pool share ceil(requests/limit) connections, or as many as
// MaxConcurrentStreams requires at once. h1 needs one connection for every request in flight, and
// each of these ceil(its share/limit). limit 0 is none.
func Expected(p Protocol, c Client, w Workload, limit int, requests int64) int64 {
	lanes := int64(w.Concurrency) // connections in use at the same time
	if p == H2 && c.SharesPool() {
		pools := int64(w.Pools)
		perPool := ceilDiv(int64(w.Concurrency), pools)
		lanes = pools * ceilDiv(perPool, MaxConcurrentStreams)
	}
	if limit == 0 {
		return lanes
	}
	return max(lanes, ceilDiv(requests, int64(limit)))
}

// Planned is a cell before its measurement.
type Planned struct {
	Topology Topology
	Protocol Protocol
	Client   Client
	Program  *Program // nil for clients without a row in the client matrix
	Workload Workload
	// Service is the application that the users call and that calls the topology: Client is its
	// name, Protocol what it speaks to the front. nil where the load goes to the topology itself.
	Service *Server
	// Users is the program that generates the load of Service; empty without one.
	Users Client
	// Point is the place in a sweep ("800-users"), or empty.
	Point string
}

// Distance is what lies between load generators and servers. Its zero value is loopback.
type Distance struct {
	RTTMS    float64 `json:"rtt_ms"`
	JitterMS float64 `json:"jitter_ms"` // a round trip takes RTTMS ± JitterMS
	// LossPercent is the share of packets that are lost in each direction.
	LossPercent float64 `json:"loss_percent"`
	// MbitPerS is what each direction carries; 0 is no limit.
	MbitPerS int `json:"mbit_per_s"`
}

// Any reports whether there is a distance.
func (d Distance) Any() bool { return d != Distance{} }

// Arrivals is how the requests of an open loop are spaced.
type Arrivals string

// The kinds of arrivals. Those of a Poisson process are independent of one another, as those of many
// users are; the run's seed draws them.
const (
	Constant Arrivals = "constant"
	Poisson  Arrivals = "poisson"
)

// Rate is how the rate of a run's open loop was found.
type Rate struct {
	// Asked is RATE as it was given: "2000" or "70%".
	Asked string `json:"asked"`
	// ClosedLoopRPS is the goodput of each cell in a closed loop of Concurrency requests in flight, by
	// the cell's id, measured once before the trials; absent where RATE is a number.
	ClosedLoopRPS map[string]float64 `json:"closed_loop_rps,omitempty"`
	// PerS is the rate: requests that arrive in a second. 0 until it is known.
	PerS float64 `json:"per_s"`
}

// Schedule is how a load generator kept to the schedule of an open loop. A trial's LatencyMS counts
// from the time when a request was due, which includes the time that a generator or a full pool kept
// it waiting.
type Schedule struct {
	// Due is how many requests were due in the window, NotStarted how many of them were never sent
	// because as many requests as allowed were in flight. The others are the trial's attempts.
	Due        int64 `json:"due"`
	NotStarted int64 `json:"not_started"`
	// InFlight is the largest number of requests in flight at the same time.
	InFlight int64 `json:"in_flight"`
	// LateMS is how much later than due the generator sent requests.
	LateMS Latency `json:"late_ms"`
	// UncorrectedMS is the latency of successful requests counted from when they were sent. A generator
	// that waits for answers before it sends the next request sees only this one (coordinated omission).
	UncorrectedMS Latency `json:"uncorrected_ms"`
}

// The 99th percentile of how late an open loop's requests are sent may be MostLateMS, or MostLateShare of the
// 99th percentile of the latency, whichever is more. Latency counts from when a request was due, so the
// generator's own delay is part of it; a delay of a tenth changes a p99 by a tenth at most.
const (
	MostLateMS    = 1.0
	MostLateShare = 0.1
)

// Behind reports whether the generator fell behind its schedule: then the trial's latencies are not the
// server's alone.
func (s Schedule) Behind() bool {
	most := MostLateMS
	if took := s.UncorrectedMS.P99; took != nil {
		most = max(most, MostLateShare**took)
	}
	return s.LateMS.P99 != nil && *s.LateMS.P99 > most
}

// Full reports whether requests were left out because as many as allowed were in flight: then the
// latencies are those of the requests that were sent, and the requests left out would have waited
// longest.
func (s Schedule) Full() bool { return s.NotStarted > 0 }

// UsuallyInFlight is how many requests are in flight at a rate while nothing stalls: as many as arrive
// in the median latency (Little's law). A stampede's own queue doesn't change the median, as it would
// the mean. At a rate beyond what a server can do it is at most the largest number that was in flight.
func (s Schedule) UsuallyInFlight(perSecond float64) int {
	if s.UncorrectedMS.P50 == nil {
		return 1
	}
	return max(1, min(int(s.InFlight), int(math.Ceil(perSecond**s.UncorrectedMS.P50/1000))))
}

// Program is one variant of a client program in clients/, as its manifest describes it. A cell
// keeps it, so that a page needs only results.json.
type Program struct {
	// Ecosystem is the folder in clients/, Title its name in reports.
	Ecosystem string `json:"ecosystem"`
	Title     string `json:"title"`
	// Library is the heading above the rows of one library and version.
	Library string `json:"library"`
	// Says describes the variant in a few words.
	Says string `json:"says"`
	// Cures is the client whose fault this variant cures, or empty.
	Cures Client `json:"cures"`
	// Price is the cost of a cure.
	Price string `json:"price"`
	// Snippet is the code of a cure, as this variant runs it.
	Snippet Snippet `json:"snippet"`
	// IDs is false where the tool can't send a request id, so that the backend can't count the
	// requests it executed.
	IDs bool `json:"ids"`
	// Default is true for the one variant that uses the library with its defaults.
	Default bool `json:"default,omitempty"`
	// AssumesLimit is the limit that the variant's code assumes (a variant renews its connections
	// every 900 requests, for example); 0 is none. With a lower limit the variant does not do what
	// it describes.
	AssumesLimit int `json:"assumes_limit,omitempty"`
	// TakesRate is true where the program can send requests on a schedule.
	TakesRate bool `json:"takes_rate,omitempty"`
}

// Snippet is the part of a file between two marks.
type Snippet struct {
	File     string `json:"file"`     // relative to the project's root
	Language string `json:"language"` // as after Markdown's fences
	Text     string `json:"text"`
}

// Kinds of Fault: the client program failed, not its requests.
const (
	FaultCrashed = "crashed" // it ended too early, or with a status other than 0
	FaultSilent  = "silent"  // it did not print its next line in time, or did not end
	FaultGarbled = "garbled" // its output can't be parsed
	// FaultStarved is not the program's fault: its machine had no file descriptor, port, thread or
	// memory for it.
	FaultStarved = "starved"
	// FaultNotStarted means that the program was not ready in time, or that no warm-up request
	// succeeded: nothing was measured, and no verdict about the limit follows.
	FaultNotStarted = "not-started"
)

// Fault is how a client program failed. Its trial has no figures.
type Fault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}
