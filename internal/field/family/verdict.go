package family

// How sure a judgement is.
const (
	Certain  = "certain"  // two kinds of behaviour say so, and nothing speaks against it
	Likely   = "likely"   // one telling kind of behaviour says so
	Possible = "possible" // weak evidence, or the Server header alone
	Unknown  = "unknown"
)

// Verdict is which family of servers behaves so, what that means and what to change.
type Verdict struct {
	// Family is the id of the best candidate ("nginx"), Name what to call it
	// ("nginx, or something built on it (…)"); both are "" when it is unknown.
	Family string `json:"family"`
	Name   string `json:"name"`
	Sure   string `json:"sure"`
	// Limit says in a sentence how many requests a connection gets, Meaning what
	// follows for clients.
	Limit   string   `json:"limit"`
	Meaning []string `json:"meaning"`
	// Changes are what to write and where, best first; none where nothing needs a change.
	Changes []Change `json:"changes"`
	// Candidates are all families with more for them than against, best first.
	Candidates []Candidate `json:"candidates"`
	// Warnings say what doesn't fit together, such as a Server header that names another family.
	Warnings []string `json:"warnings"`
	// Next is a line that can be pasted.
	Next string `json:"next"`
}

// Change is one line of one configuration.
type Change struct {
	// For is the product, Where the place in its configuration.
	For   string `json:"for"`
	Where string `json:"where"`
	// Line can be pasted there; it may hold several lines.
	Line string `json:"line"`
	Why  string `json:"why"`
}

// Candidate is a family with the evidence for and against it.
type Candidate struct {
	Family  string     `json:"family"`
	Name    string     `json:"name"`
	Sure    string     `json:"sure"`
	For     []Evidence `json:"for"`
	Against []Evidence `json:"against"`

	behaviour, header, against int
	kinds                      map[string]bool // of behaviour that speak for it
}

// Evidence is one clue in words, and who says that it is one.
type Evidence struct {
	About  string `json:"about"`
	Says   string `json:"says"`
	Weight int    `json:"weight"`
	Source string `json:"source"`
}

func (c Candidate) score() int { return c.behaviour + c.header - c.against }
