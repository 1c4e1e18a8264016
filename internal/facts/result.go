package facts

import "time"

// SchemaVersion is the version of results.json and verdicts.json that this code
// writes, and the only one it reads.
const SchemaVersion = 2

// Result is a whole results.json: what was measured, and no conclusion from it.
type Result struct {
	SchemaVersion int         `json:"schema_version"`
	Run           Run         `json:"run"`
	Environment   Environment `json:"environment"`
	// Renewals are frame traces taken in this run, one a limited front.
	Renewals []Renewal `json:"renewals"`
	Cells    []Cell    `json:"cells"`
}

// Cell finds a cell by what it is, or nil.
func (r *Result) Cell(topology string, p Protocol, c Client) *Cell {
	for i := range r.Cells {
		if x := &r.Cells[i]; x.Topology == topology && x.Protocol == p && x.Client == c {
			return x
		}
	}
	return nil
}

// Run is what was asked for.
type Run struct {
	ID      string `json:"id"`
	Command string `json:"command"` // repro, fixed, matrix or clients
	// Repeat is the command line that does the same again, seed included.
	Repeat      string    `json:"repeat"`
	Runtime     string    `json:"runtime"` // native or docker
	Started     time.Time `json:"started"`
	Finished    time.Time `json:"finished"` // zero while it runs or when it was interrupted
	Interrupted bool      `json:"interrupted"`
	Seed        uint64    `json:"seed"`
	Trials      int       `json:"trials"` // planned for each cell
	Quick       bool      `json:"quick"`
	// Limit is the low limit of the run (LIMIT), 1000 unless asked otherwise.
	Limit       int     `json:"limit"`
	WarmupS     float64 `json:"warmup_s"`
	DurationS   float64 `json:"duration_s"`
	Concurrency int     `json:"concurrency"`
	// CPUs is the budget asked for each server; null is none.
	CPUs *float64 `json:"cpus"`
	// Key is the certificates' key, rsa or ecdsa.
	Key string `json:"key"`
	// Planned are the ids of the cells that were planned, in their order, so
	// that one which is missing from Cells is noticed.
	Planned []string `json:"planned"`
	// Observed is false when the timeline was switched off, to measure what it costs.
	Observed bool     `json:"observed"`
	Warnings []string `json:"warnings"`
}

// Environment is where it was measured.
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

// Git is the state of the checkout that measured.
type Git struct {
	Commit string `json:"commit"`
	Dirty  bool   `json:"dirty"`
}

// ServerRecord is what one server really ran with.
type ServerRecord struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	Config     string `json:"config"`
	ConfigHash string `json:"config_sha256"`
	// Effective is the server's own account of its configuration (nginx -T,
	// Envoy's config dump), kept beside results.json, with its hash.
	Effective     string `json:"effective"`
	EffectiveHash string `json:"effective_sha256"`
	// CPUs is the budget as it was read back from the kernel or the engine; null is unlimited.
	CPUs *float64 `json:"cpus"`
}

// Limit is a limit on requests per connection, as named and as probed.
type Limit struct {
	// Configured is null where the front has no limit.
	Configured *int `json:"configured"`
	// Effective is what the wire showed; null where none was met.
	Effective *int `json:"effective"`
	// ProbedRequests is how many requests the probe sent on its one connection.
	ProbedRequests int `json:"probed_requests"`
	// Closing is how the connection was ended, as Ending.How says it, or none.
	Closing string `json:"closing"`
	// LastStreamID is that of the final GOAWAY; null where none was seen.
	LastStreamID *uint32 `json:"last_stream_id"`
}

// Cell is one combination that was measured, TRIALS times.
type Cell struct {
	Topology string   `json:"topology"`
	Protocol Protocol `json:"protocol"`
	Client   Client   `json:"client"`
	Workload Workload `json:"workload"`
	Limit    Limit    `json:"limit"`
	// Program is the client program, left out for those that are no row of the client matrix.
	Program *Program `json:"program,omitempty"`
	// Unsupported says why the cell could not run here, or is empty.
	Unsupported string  `json:"unsupported"`
	Trials      []Trial `json:"trials"`
}

// ID is the cell's name in file names and messages.
func (c *Cell) ID() string { return c.Topology + "." + string(c.Protocol) + "." + string(c.Client) }
