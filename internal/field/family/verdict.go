package family

import (
	"h2lab/internal/field/cause"
	"h2lab/internal/field/cure"
)

// The levels of certainty.
const (
	Certain  = "certain"  // two kinds of behaviour say so, and nothing contradicts them
	Likely   = "likely"   // one strong kind of behaviour says so
	Possible = "possible" // weak evidence, or the Server header alone
	Unknown  = "unknown"
)

// Verdict is the inferred family of servers, what that means and what to change.
type Verdict struct {
	// Family is the id of the best candidate ("nginx"), Name its name in texts ("nginx, or
	// something built on it (…)"); both are "" if it is unknown.
	Family string `json:"family"`
	Name   string `json:"name"`
	Sure   string `json:"sure"`
	// MayHaveRun warns of requests that got no answer and may have run; "" if there were none.
	MayHaveRun string `json:"may_have_run"`
	// Among are the ids of the families that the evidence does not tell apart, Family first.
	Among []string `json:"among"`
	// Cause is what ends the connections, Limit the same as a sentence, Meaning what follows for
	// clients.
	Cause   cause.Cause `json:"cause"`
	Limit   string      `json:"limit"`
	Meaning []string    `json:"meaning"`
	// Changes are configuration changes, best first; empty if nothing needs a change.
	Changes []Change `json:"changes"`
	// Candidates are all families with more evidence for than against, best first.
	Candidates []Candidate `json:"candidates"`
	// Warnings name contradictions, such as a Server header of another family.
	Warnings []string `json:"warnings"`
	// Find is a command that shows the present setting on the server; "" if the family has none.
	Find string `json:"find"`
	// Next is the command to run next.
	Next string `json:"next"`
}

// Change is a change to one configuration.
type Change = cure.Change

// Candidate is a family with the evidence for and against it.
type Candidate struct {
	Family  string     `json:"family"`
	Name    string     `json:"name"`
	Sure    string     `json:"sure"`
	For     []Evidence `json:"for"`
	Against []Evidence `json:"against"`

	behaviour, header, against int
	kinds                      map[string]bool // of behaviour, with evidence for it
}

// Evidence is one clue as text, and its source.
type Evidence struct {
	About  string `json:"about"`
	Says   string `json:"says"`
	Weight int    `json:"weight"`
	Source string `json:"source"`
}

func (c Candidate) score() int { return c.behaviour + c.header - c.against }
