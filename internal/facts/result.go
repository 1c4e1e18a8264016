package facts

import "time"

// SchemaVersion is the version of results.json that this code writes, and the
// only version it reads.
const SchemaVersion = 3

// Result is a whole results.json: measurements without conclusions.
type Result struct {
	SchemaVersion int         `json:"schema_version"`
	Run           Run         `json:"run"`
	Environment   Environment `json:"environment"`
	// Renewals are the frame traces of this run, one for each limited front.
	Renewals []Renewal `json:"renewals"`
	Cells    []Cell    `json:"cells"`
}

// Cell finds a cell by topology, protocol and client, or returns nil.
func (r *Result) Cell(topology string, p Protocol, c Client) *Cell {
	for i := range r.Cells {
		if x := &r.Cells[i]; x.Topology == topology && x.Protocol == p && x.Client == c {
			return x
		}
	}
	return nil
}

// Run is the command and its settings.
type Run struct {
	ID      string `json:"id"`
	Command string `json:"command"` // repro, fixed, matrix, clients, story, sweep or merge
	// Sweep is what a sweep varied ("callers"), or "all".
	Sweep string `json:"sweep,omitempty"`
	// Repeat is the command line that repeats the run, with its seed.
	Repeat      string    `json:"repeat"`
	Runtime     string    `json:"runtime"` // native, docker or machines
	Started     time.Time `json:"started"`
	Finished    time.Time `json:"finished"` // zero while the run lasts, and after an interruption
	Interrupted bool      `json:"interrupted"`
	Seed        uint64    `json:"seed"`
	Trials      int       `json:"trials"` // planned for each cell
	Quick       bool      `json:"quick"`
	// Limit is the low limit of the run (LIMIT), 1000 unless asked otherwise; 0 in a merge where it isn't known.
	Limit       int     `json:"limit"`
	WarmupS     float64 `json:"warmup_s"`
	DurationS   float64 `json:"duration_s"`
	Concurrency int     `json:"concurrency"`
	// Rate is how the rate of an open loop was found; absent in a closed loop.
	Rate *Rate `json:"rate,omitempty"`
	// CPUs is the CPU limit requested for each server; null is none.
	CPUs *float64 `json:"cpus"`
	// Key is the certificates' key, rsa or ecdsa; empty in a merge, where it isn't known.
	Key string `json:"key"`
	// Planned are the ids of the planned cells in their order, so that a cell missing from Cells is
	// noticed.
	Planned []string `json:"planned"`
	// Observed is false when the timeline was switched off, to measure its cost.
	Observed bool   `json:"observed"`
	Warnings []Text `json:"warnings"`
}

// Environment is the machine and the programs of the run.
type Environment struct {
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"`
	MemoryMB int64             `json:"memory_mb"`
	Kernel   string            `json:"kernel"`
	OS       string            `json:"os"`
	Versions map[string]string `json:"versions"` // nginx, envoy, k6, go, openssl, h2lab
	Git      Git               `json:"git"`
	Servers  []ServerRecord    `json:"servers"`
	// LabMaxRSSMB is the largest resident size of h2lab itself.
	LabMaxRSSMB *float64 `json:"lab_max_rss_mb"`
}

// Git is the state of the checkout that ran the measurement.
type Git struct {
	Commit string `json:"commit"`
	Dirty  bool   `json:"dirty"`
}

// ServerRecord is the configuration that one server ran with.
type ServerRecord struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	Config     string `json:"config"`
	ConfigHash string `json:"config_sha256"`
	// Effective is the configuration as the server itself prints it (nginx -T, Envoy's config
	// dump), a file beside results.json, with its hash.
	Effective     string `json:"effective"`
	EffectiveHash string `json:"effective_sha256"`
	// CPUs is the CPU limit as read back from the kernel or the container engine; null is
	// unlimited.
	CPUs *float64 `json:"cpus"`
}

// Limit is a limit on requests per connection, as configured and as probed.
type Limit struct {
	// Configured is null where the front has no limit.
	Configured *int `json:"configured"`
	// Effective is the limit that the probe observed; null where it met none.
	Effective *int `json:"effective"`
	// ProbedRequests is how many requests the probe sent on its one connection.
	ProbedRequests int `json:"probed_requests"`
	// Closing is how the connection ended, as in Ending.How, or none.
	Closing string `json:"closing"`
	// LastStreamID is the last-stream-id of the final GOAWAY; null without one.
	LastStreamID *uint32 `json:"last_stream_id"`
}

// Cell is one combination of topology, protocol and client, measured TRIALS times.
type Cell struct {
	Topology string   `json:"topology"`
	Protocol Protocol `json:"protocol"`
	Client   Client   `json:"client"`
	// Users is the program that generated the load of a service, which is then Client; absent where
	// the client called the topology itself.
	Users Client `json:"users,omitempty"`
	// Point is the cell's place in a sweep ("800-users"); absent outside of sweeps.
	Point    string   `json:"point,omitempty"`
	Workload Workload `json:"workload"`
	Limit    Limit    `json:"limit"`
	// Program is the client program; absent for clients without a row in the client matrix.
	Program *Program `json:"program,omitempty"`
	// Unsupported says why the cell could not run here; absent where it could.
	Unsupported Text    `json:"unsupported,omitzero"`
	Trials      []Trial `json:"trials"`
}

// ID is the cell's name in file names and messages.
func (c *Cell) ID() string {
	id := c.Topology + "." + string(c.Protocol) + "." + string(c.Client)
	if c.Point != "" {
		id += "." + c.Point
	}
	return id
}

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
	Warnings []Text       `json:"warnings"`
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

// MachineFull is the share of all cores from which a measurement can't tell which process limits
// which.
const MachineFull = 0.97

// Bystanders is the number of cores from which other programs, or other machines of the same host,
// disturb a measurement.
const Bystanders = 0.2

// Disturbed reports whether they did.
func (t Trial) Disturbed() bool {
	above := func(used *float64) bool { return used != nil && t.ElapsedS > 0 && *used/t.ElapsedS > Bystanders }
	return above(t.CPU.Other) || above(t.CPU.Stolen)
}

// Busy is the processor time of all programs in the window, in seconds, as far as it is known.
func (c CPU) Busy() (seconds float64) {
	for _, part := range []*float64{c.Proxy, c.Backend, c.Client, c.Service, c.Lab, c.Other, c.Stolen} {
		if part != nil {
			seconds += *part
		}
	}
	return seconds
}

// AllCoresBusy reports whether the machine, and not one program, limited the trial. It is false
// where the processor times are unknown.
func (t Trial) AllCoresBusy(cores int) bool {
	return cores > 0 && t.ElapsedS > 0 && t.CPU.Busy() >= MachineFull*float64(cores)*t.ElapsedS
}

// VerdictsVersion is the version of verdicts.json. Versions before 3 had English sentences instead of texts.
const VerdictsVersion = 3

// Judgement is a whole verdicts.json: the verdicts on one results.json. h2lab can compute it again
// from that file at any time.
type Judgement struct {
	SchemaVersion int `json:"schema_version"`
	// Run is the id of the judged run.
	Run string `json:"run"`
	// Cells are the cells of results.json, in the same order.
	Cells    []CellSummary `json:"cells"`
	Verdicts []Verdict     `json:"verdicts"`
}

// CellSummary is the summary of one cell.
type CellSummary struct {
	Cell    string  `json:"cell"` // Cell.ID
	Summary Summary `json:"summary"`
}

// Summary sums up a cell's trials. Outliers are counted and marked, never dropped. Only trials whose
// generator fell behind its schedule are left out, and Late names them.
type Summary struct {
	GoodputRPS           Estimate `json:"goodput_rps"`
	P50MS                Estimate `json:"p50_ms"`
	P99MS                Estimate `json:"p99_ms"`
	Accepted             Estimate `json:"accepted"`
	Used                 Estimate `json:"used"`
	Expected             Estimate `json:"expected"`
	ColdAccepted         Estimate `json:"cold_accepted"`
	Failed               Estimate `json:"failed"`
	Duplicates           Estimate `json:"duplicates"`
	ProxyCPUMSPerRequest Estimate `json:"proxy_cpu_ms_per_request"`
	// Waste is 1 − used / accepted over all trials; null when nothing was accepted.
	Waste *float64 `json:"waste"`
	// Outliers are the positions in Trials, from 0, of trials whose goodput lies more than 1.5 IQR
	// outside the quartiles.
	Outliers []int `json:"outliers"`
	// Late are the positions in Trials, from 0, of trials whose generator fell behind its schedule; absent
	// without one. The numbers above are those of the other trials, or of all where all fell behind.
	Late []int `json:"late,omitempty"`
	// MergedMS is the latency of all these trials' requests, from their merged histograms; absent where a
	// trial has none.
	MergedMS *Percentiles `json:"merged_ms,omitempty"`
}

// Percentiles are those of many requests. One that no request is above is null.
type Percentiles struct {
	Samples int64    `json:"samples"`
	P50     *float64 `json:"p50"`
	P90     *float64 `json:"p90"`
	P95     *float64 `json:"p95"`
	P99     *float64 `json:"p99"`
	P999    *float64 `json:"p999"`
	P9999   *float64 `json:"p9999"`
	Max     *float64 `json:"max"`
}

// Estimate is a median with its 95 % interval. Lo and Hi are null with too few trials; Warnings
// then says so.
type Estimate struct {
	Median   *float64 `json:"median"`
	Lo       *float64 `json:"lo"`
	Hi       *float64 `json:"hi"`
	N        int      `json:"n"`
	Warnings []Text   `json:"warnings"`
}

// Status is the result of a rule.
type Status string

// The five results of a rule.
const (
	Reproduced    Status = "reproduced"
	Fixed         Status = "fixed"
	NotReproduced Status = "not-reproduced"
	Inconclusive  Status = "inconclusive"
	Unsupported   Status = "unsupported"
)

// Verdict is the result of one rule, with its evidence.
type Verdict struct {
	ID       string     `json:"id"`
	Title    Text       `json:"title"`
	Status   Status     `json:"status"`
	Expected Text       `json:"expected"`
	Actual   Text       `json:"actual"`
	Evidence []Evidence `json:"evidence"`
	// Reference is the source of the explanation: an RFC section, a source file, an issue.
	Reference Text   `json:"reference"`
	Hint      Text   `json:"hint"`
	Warnings  []Text `json:"warnings"`
}

// Evidence is one value of the run's files. Pointer has the file and the place in it,
// "results.json#/cells/0/limit/effective" (RFC 6901, section 6).
type Evidence struct {
	Pointer string `json:"pointer"`
	Value   any    `json:"value"`
}
