package facts

import "time"

// SchemaVersion is the version of results.json and verdicts.json that this code writes, and the
// only version it reads.
const SchemaVersion = 2

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
	Observed bool     `json:"observed"`
	Warnings []string `json:"warnings"`
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
	// Unsupported says why the cell could not run here, or is empty.
	Unsupported string  `json:"unsupported"`
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
