package facts

import "time"

// Trial is one measurement of a cell. Every pointer is null where the value can't be known, never
// 0.
type Trial struct {
	Index   int       `json:"index"` // from 1
	Order   int       `json:"order"` // place in the run's order, from 1
	Started time.Time `json:"started"`
	// WindowS is the planned length of the window, where it was chosen for this trial: the window
	// of a client program lasts until enough connections were renewed.
	WindowS float64 `json:"window_s,omitempty"`
	// ElapsedS is from the release after warm-up to the last answer.
	ElapsedS  float64 `json:"elapsed_s"`
	Attempts  int64   `json:"attempts"`
	Succeeded int64   `json:"succeeded"`
	Failed    int64   `json:"failed"`
	Errors    []Error `json:"errors"`
	// Hung is how many of the failed requests never ended; absent where the client can't tell.
	Hung *int64 `json:"hung,omitempty"`
	// Fault is how the client program failed; absent when it did not.
	Fault *Fault `json:"fault,omitempty"`
	// Library and Runtime are the versions that the client reported, or empty.
	Library string `json:"library,omitempty"`
	Runtime string `json:"runtime,omitempty"`
	// GoodputRPS is Succeeded / ElapsedS: failures don't count.
	GoodputRPS float64 `json:"goodput_rps"`
	LatencyMS  Latency `json:"latency_ms"`
	// Histogram has the latencies behind LatencyMS, in µs: an HdrHistogram, V2, compressed, in base64.
	// Empty where the client reports percentiles only.
	Histogram string `json:"histogram,omitempty"`
	// Schedule is how an open loop's schedule was kept; absent in a closed loop.
	Schedule *Schedule `json:"schedule,omitempty"`
	// ConnectMS is the time of the window's TCP connects, HandshakeMS that of its TLS handshakes; absent
	// where the client can't tell.
	ConnectMS   *Latency    `json:"connect_ms,omitempty"`
	HandshakeMS *Latency    `json:"handshake_ms,omitempty"`
	Connections Connections `json:"connections"`
	// ColdStart is the warm-up, which starts with an empty pool. The numbers above don't include
	// it.
	ColdStart ColdStart    `json:"cold_start"`
	Backend   BackendDelta `json:"backend"`
	// Service is what the service saw of its own calls; absent where the load went to the topology
	// itself. The trial's other numbers are then its users' view.
	Service  *ServiceView `json:"service,omitempty"`
	TLS      TLS          `json:"tls"`
	CPU      CPU          `json:"cpu_s"`
	Series   string       `json:"series"` // relative to results.json; empty when not sampled
	Warnings []string     `json:"warnings"`
}

// Error classes, by the outcome of the request.
const (
	ErrGoawayNotReplayable   = "goaway-not-replayable"   // unprocessed, but the body can't be sent again
	ErrRefusedStream         = "refused-stream"          // RST_STREAM(REFUSED_STREAM): unprocessed
	ErrGoawayAfterProcessing = "goaway-after-processing" // may have been executed
	ErrConnectionLost        = "connection-lost"
	ErrTimeout               = "timeout"
	ErrHTTPStatus            = "http-status"
	// the client's machine had no file descriptor, port, thread or memory for it
	ErrClientResources = "client-resources"
	ErrOther           = "other"
)

// ErrorClasses lists them in the order they are printed.
var ErrorClasses = []string{ErrGoawayNotReplayable, ErrRefusedStream, ErrGoawayAfterProcessing,
	ErrConnectionLost, ErrTimeout, ErrHTTPStatus, ErrClientResources, ErrOther}

// Starved is how many failures the client's machine caused. A trial with one of these says nothing
// about the server or the client program.
func Starved(errs []Error) (n int64) {
	for _, e := range errs {
		if e.Class == ErrClientResources {
			n += e.Count
		}
	}
	return n
}

// Error is a group of failures with one verbatim message.
type Error struct {
	Class   string `json:"class"`
	Count   int64  `json:"count"`
	Message string `json:"message"`
}

// Latency is the wall time of successful requests as the caller sees it, including the wait for a
// connection.
type Latency struct {
	P50  *float64 `json:"p50"`
	P90  *float64 `json:"p90"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
	P999 *float64 `json:"p999"`
	Max  *float64 `json:"max"`
	// Mean is left out where the program doesn't report it.
	Mean *float64 `json:"mean,omitempty"`
}

// Connections counts the connections of the measured window.
type Connections struct {
	Dialled  *int64 `json:"dialled"`  // by the client, where it can count
	Accepted *int64 `json:"accepted"` // by the front (nginx: accepts)
	Used     *int64 `json:"used"`     // carried at least one request
	// Expected is how many the requests needed: Expected(warm-up + window) − Expected(warm-up).
	Expected *int64 `json:"expected"`
	// UsedUp is how many connections carried as many requests as the limit allows; absent where the
	// front doesn't count them.
	UsedUp *int64 `json:"used_up,omitempty"`
	// Replaced is how many connections ended while as many others were used for the first time,
	// including those that the client ended. Absent where the front doesn't count them.
	Replaced *int64 `json:"replaced,omitempty"`
	// ClientReported is how many new connections the client's own metrics show.
	ClientReported *int64 `json:"client_reported"`
}

// Renewals is how many connections were renewed: used up, or replaced before. It is nil where
// neither was counted.
func (c Connections) Renewals() *int64 {
	if c.UsedUp == nil || c.Replaced != nil && *c.Replaced > *c.UsedUp {
		return c.Replaced
	}
	return c.UsedUp
}

// ColdStart is the cost of the warm-up.
type ColdStart struct {
	Requests *int64 `json:"requests"`
	Accepted *int64 `json:"accepted"`
	Used     *int64 `json:"used"`
	Expected *int64 `json:"expected"`
}

// BackendDelta is the change of the backend's ledger during the window.
type BackendDelta struct {
	Executed    *int64 `json:"executed"`
	Distinct    *int64 `json:"distinct"`
	Duplicates  *int64 `json:"duplicates"`
	Connections *int64 `json:"connections"` // new ones accepted by the backend
	// HandledMS is how long the backend took for the requests of the window, from a request's headers
	// to its written answer; absent where it was not read.
	HandledMS *Latency `json:"handled_ms,omitempty"`
}

// ServiceView is what a service saw in the window, as it reports it at /lab/view.json.
type ServiceView struct {
	// Requests are those of its users, Rejected those that it refused without a call.
	Requests int64 `json:"requests"`
	Rejected int64 `json:"rejected"`
	// Calls are its calls of the topology; Failed are those that threw an exception or were answered
	// with another status than 200.
	Calls     int64 `json:"calls"`
	Succeeded int64 `json:"succeeded"`
	Failed    int64 `json:"failed"`
	// Errors add up to Failed; a message begins with the exception's class.
	Errors []Error `json:"errors"`
	// CallMS is the time of its successful calls, FailedMS that of the failed ones, RowMS that of
	// reading a row from its database.
	CallMS   Latency `json:"call_ms"`
	FailedMS Latency `json:"failed_ms"`
	RowMS    Latency `json:"row_ms"`
	// Threads is the largest number of live threads, HeapMB of used heap; HeapMaxMB is its limit.
	Threads   *int64   `json:"threads"`
	HeapMB    *float64 `json:"heap_mb"`
	HeapMaxMB *float64 `json:"heap_max_mb"`
	// CPUS is the processor time of its process in the window, GCS the part in garbage collections
	// as wall time.
	CPUS *float64 `json:"cpu_s"`
	GCS  *float64 `json:"gc_s"`
	// Settings are the settings that the page states: the JVM's, the pool's, the thread pool's.
	Settings map[string]string `json:"settings"`
}

// TLS is what the client negotiated.
type TLS struct {
	Version string `json:"version"` // "1.2", "1.3" or empty where unknown
	// Resumed is how many of the dialled connections resumed a session.
	Resumed *int64 `json:"resumed"`
}

// CPU is processor time spent in the window, in seconds.
type CPU struct {
	Proxy   *float64 `json:"proxy"` // all proxies of the topology
	Backend *float64 `json:"backend"`
	Client  *float64 `json:"client"`
	// Service is the application between users and topology; absent without one.
	Service *float64 `json:"service,omitempty"`
	Lab     *float64 `json:"lab"`   // h2lab itself: its observer, and the delay line
	Other   *float64 `json:"other"` // other programs on the machine
	// Stolen is time that the hypervisor gave to other guests (steal in /proc/stat).
	Stolen *float64 `json:"stolen"`
}

// Series is the timeline of one trial: cumulative counters of the front,
// T in ms since the window opened (negative: warm-up). Columns have equal length.
type Series struct {
	TMS      []float64 `json:"t_ms"`
	Accepted []int64   `json:"accepted"`
	Requests []int64   `json:"requests"`
	// Source has the server's own names of the counters.
	Source map[string]string `json:"source"`
}

// Observation is one reading of one server's counters.
type Observation struct {
	At time.Time
	// Accepted, Used and Requests are derived from Raw, without the observer's own connections and
	// reads; nil where the source can't tell.
	Accepted *int64
	Used     *int64
	Requests *int64
	// Raw has the source's numbers under the source's names.
	Raw map[string]int64
}
