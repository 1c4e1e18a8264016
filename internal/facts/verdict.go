package facts

// Status is what a rule found.
type Status string

// The five answers a rule may give.
const (
	Reproduced    Status = "reproduced"
	Fixed         Status = "fixed"
	NotReproduced Status = "not-reproduced"
	Inconclusive  Status = "inconclusive"
	Unsupported   Status = "unsupported"
)

// Verdict is the answer of one rule, with what it rests on.
type Verdict struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	Status   Status     `json:"status"`
	Expected string     `json:"expected"`
	Actual   string     `json:"actual"`
	Evidence []Evidence `json:"evidence"`
	// Reference is where the explanation comes from: an RFC section, a source file, an issue.
	Reference string   `json:"reference"`
	Hint      string   `json:"hint"`
	Warnings  []string `json:"warnings"`
}

// Evidence is one value of results.json, by JSON pointer. A pointer into the
// baseline of a fixed run begins with "baseline#".
type Evidence struct {
	Pointer string `json:"pointer"`
	Value   any    `json:"value"`
}
