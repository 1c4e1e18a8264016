package live

// The kinds of event, in their order within a run.
const (
	RunBegan    = "run"
	TrialBegan  = "trial"
	Sampled     = "sample"
	WindowBegan = "window"
	TrialEnded  = "counted"
	RunEnded    = "end"
)

var kinds = []string{RunBegan, TrialBegan, Sampled, WindowBegan, TrialEnded, RunEnded}

// Event is one line of the journal, without the fields that its kind doesn't have.
type Event struct {
	Kind string `json:"kind"`

	// of a run
	ID          string `json:"id,omitempty"`
	Command     string `json:"command,omitempty"`
	Concurrency int    `json:"concurrency,omitempty"`
	Replay      bool   `json:"replay,omitempty"`

	// of a trial
	Cell     string `json:"cell,omitempty"`
	Topology string `json:"topology,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Client   string `json:"client,omitempty"`
	Limit    int    `json:"limit,omitempty"` // requests a connection; 0 is none
	Trial    int    `json:"trial,omitempty"`
	Done     int    `json:"done,omitempty"`
	Total    int    `json:"total,omitempty"`

	// of a sample: the front's counters since it started; TMS is the time since the trial began
	TMS      float64 `json:"t_ms"`
	Accepted *int64  `json:"accepted,omitempty"`
	Requests *int64  `json:"requests,omitempty"`
	Used     *int64  `json:"used,omitempty"`

	// of a trial that ended
	GoodputRPS *float64         `json:"goodput_rps,omitempty"`
	Attempts   *int64           `json:"attempts,omitempty"`
	Failed     *int64           `json:"failed,omitempty"`
	Expected   *int64           `json:"expected,omitempty"`
	Classes    map[string]int64 `json:"classes,omitempty"`

	Interrupted bool `json:"interrupted,omitempty"`
}
