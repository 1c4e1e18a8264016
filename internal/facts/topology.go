package facts

import (
	"fmt"
	"strings"
)

// Protocol is what a client is made to speak to the front of a topology.
type Protocol string

// The two protocols that are compared.
const (
	H1 Protocol = "h1" // HTTP/1.1
	H2 Protocol = "h2" // HTTP/2
)

// Kind says which program a server is, and so how its counters are read.
type Kind string

// The programs that the lab starts.
const (
	Nginx   Kind = "nginx"
	Envoy   Kind = "envoy"
	Backend Kind = "backend"
)

// MaxConcurrentStreams is SETTINGS_MAX_CONCURRENT_STREAMS in every
// configuration of the lab. 128 is nginx's default (http2_max_concurrent_streams);
// the others are set to it, so that one pool with more requests in flight needs
// a second connection everywhere or nowhere.
const MaxConcurrentStreams = 128

// Server is one process (with its children) that a topology needs.
type Server struct {
	// Name is unique in the lab, is the name of the Compose service and of the
	// cgroup, and begins the names of its log files.
	Name string
	Kind Kind
	// Config is its whole configuration file, relative to the project's root.
	// Empty for the backend, which takes flags.
	Config string
	// Front is the address it serves TLS on, as clients dial it.
	Front string
	// Counters is the loopback-only address of its counters: nginx's
	// stub_status, Envoy's admin, the backend's ledger.
	Counters string
	// UsedLog is nginx's access log of first requests, relative to the project's root:
	// one line for each connection that carried a request.
	UsedLog string
	// HundredsLog is nginx's access log of every hundredth request of a connection, relative to the
	// project's root. All of the lab's nginx write to it; a line begins with the port of Front.
	HundredsLog string
	// MinVersion is the oldest version that accepts Config, or empty.
	MinVersion string
}

// Topology is a way from a client to the backend.
type Topology struct {
	// Name is one of design's words, with the limit in force:
	// nginx-1000 is called nginx-100 in a run with LIMIT=100.
	Name string
	// Title says in a few words what a reader should picture.
	Title string
	// Servers are passed in this order; the first is the one clients dial, the
	// last is the backend.
	Servers []Server
	// Limit is how many requests the front allows on one connection; 0 is none.
	Limit int
	// Drains is true where the limit starts a two-stage shutdown, so that
	// requests which arrive while it drains are still served and the number a
	// connection carries is Limit or more.
	Drains bool
	// LimitDirective is the front's own word for the limit.
	LimitDirective string
}

// Front is the server that clients dial.
func (t Topology) Front() Server { return t.Servers[0] }

// Proxies are the servers before the backend.
func (t Topology) Proxies() []Server { return t.Servers[:len(t.Servers)-1] }

// BackendServer is the last server.
func (t Topology) BackendServer() Server { return t.Servers[len(t.Servers)-1] }

// Client names a program (and the way it is used) that makes the load.
type Client string

// The clients of the lab.
const (
	// K6SharedPool is one k6 VU an application: CONCURRENCY requests in flight on its pool.
	K6SharedPool Client = "k6-shared-pool"
	// K6ConnectionPerVU is the usual script: every VU its own connection. It hides the fault.
	K6ConnectionPerVU Client = "k6-connection-per-vu"
	// GoReplayable is Go's net/http with bodies that can be sent again (GetBody is set).
	GoReplayable Client = "go-replayable"
	// GoOnce is the same with a body that can be read once.
	GoOnce Client = "go-once"
	// GoSingleDial is GoReplayable with MaxConnsPerHost 1 on h2, CONCURRENCY on h1.
	GoSingleDial Client = "go-single-dial"
)

// Clients lists every client, in the order they are printed.
var Clients = []Client{K6SharedPool, K6ConnectionPerVU, GoReplayable, GoOnce, GoSingleDial}

// SharesPool reports whether the client keeps its requests on one pool, as an
// application does, and not on a connection for each user.
func (c Client) SharesPool() bool { return c != K6ConnectionPerVU }

// Workload is what a client is asked to do.
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
}

// Path is the backend's path for this workload: /echo returns a body that was
// sent, /delay has none to return. Both wait ms milliseconds first.
func (w Workload) Path() string {
	if w.Method == "GET" || w.Method == "HEAD" {
		return fmt.Sprintf("/delay?ms=%d", w.DelayMS)
	}
	return fmt.Sprintf("/echo?ms=%d", w.DelayMS)
}

// Body is the request's body: digits "1", as the original demonstration posted.
func (w Workload) Body() string { return strings.Repeat("1", w.BodyBytes) }

// ceilDiv is the least whole number of b that holds a.
func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// Expected is how many connections a client needs, from its first request on,
// to send that many requests: a pool's h2 requests share ceil(requests/limit)
// connections (and as many at once as MaxConcurrentStreams makes it need);
// h1 needs one for every request in flight, and each of them ceil(its share/limit).
// limit 0 is none.
func Expected(p Protocol, c Client, w Workload, limit int, requests int64) int64 {
	lanes := int64(w.Concurrency) // connections that are needed at the same time
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

// Planned is a cell before it is measured.
type Planned struct {
	Topology Topology
	Protocol Protocol
	Client   Client
	Program  *Program // nil for clients that are no row of the client matrix
	Workload Workload
}
