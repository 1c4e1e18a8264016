package facts

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
	Warnings []string `json:"warnings"`
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
	Title    string     `json:"title"`
	Status   Status     `json:"status"`
	Expected string     `json:"expected"`
	Actual   string     `json:"actual"`
	Evidence []Evidence `json:"evidence"`
	// Reference is the source of the explanation: an RFC section, a source file, an issue.
	Reference string   `json:"reference"`
	Hint      string   `json:"hint"`
	Warnings  []string `json:"warnings"`
}

// Evidence is one value of the run's files. Pointer has the file and the place in it,
// "results.json#/cells/0/limit/effective" (RFC 6901, section 6).
type Evidence struct {
	Pointer string `json:"pointer"`
	Value   any    `json:"value"`
}
