// Package family infers the server's family (nginx, Envoy, …) from its behaviour, and says how sure
// that is, what it means for clients and what to change.
//
// It reads a facts.Endpoint that the probe measured and uses no network. The families and their clues are data
// (families.toml); what a clue looks for is a predicate (clue.go). A clue is a fact that can be observed
// from outside, with a weight and a source. The Server header has the least weight, since an
// operator can set it to anything; the verdict warns if it contradicts the behaviour.
//
// Every measured clue names its recording in testdata, and a test checks it against that recording.
package family

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
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
	Family string         `json:"family"`
	Name   texts.Sentence `json:"name"`
	Sure   string         `json:"sure"`
	// MayHaveRun warns of requests that got no answer and may have run; "" if there were none.
	MayHaveRun texts.Sentence `json:"may_have_run"`
	// Among are the ids of the families that the evidence does not tell apart, Family first.
	Among []string `json:"among"`
	// Cause is what ends the connections, Limit the same as a sentence, Meaning what follows for
	// clients.
	Cause   cause.Cause      `json:"cause"`
	Limit   texts.Sentence   `json:"limit"`
	Meaning []texts.Sentence `json:"meaning"`
	// Changes are configuration changes, best first; empty if nothing needs a change.
	Changes []cure.Change `json:"changes"`
	// Candidates are all families with more evidence for than against, best first.
	Candidates []Candidate `json:"candidates"`
	// Warnings name contradictions, such as a Server header of another family.
	Warnings []texts.Sentence `json:"warnings"`
	// Find is a command that shows the present setting on the server; "" if the family has none.
	Find string `json:"find"`
	// Next is the command to run next.
	Next texts.Sentence `json:"next"`
}

// Candidate is a family with the evidence for and against it.
type Candidate struct {
	Family  string         `json:"family"`
	Name    texts.Sentence `json:"name"`
	Sure    string         `json:"sure"`
	For     []Evidence     `json:"for"`
	Against []Evidence     `json:"against"`

	behaviour, header, against int
	kinds                      map[string]bool // of behaviour, with evidence for it
}

// Evidence is one clue as text, and its source.
type Evidence struct {
	About  string         `json:"about"`
	Says   texts.Sentence `json:"says"`
	Weight int            `json:"weight"`
	Source string         `json:"source"`
}

func (c Candidate) score() int { return c.behaviour + c.header - c.against }

// The thresholds of certainty: Certain counts behaviour alone, the lower levels also count the
// header.
const (
	forCertain = 6
	forLikely  = 3
	aheadBy    = 3 // lead over the next family for Certain
	alike      = 1 // families that are no farther apart are named together
	// veto is evidence that a server can't be of a family.
	veto = 100
)

// Judge infers the endpoint's server family, what that means and what to change.
func Judge(e facts.Endpoint) Verdict {
	v := Verdict{
		Sure:       Unknown,
		Meaning:    []texts.Sentence{},
		Changes:    []cure.Change{},
		Candidates: []Candidate{},
		Warnings:   []texts.Sentence{},
		Among:      []string{},
	}
	for _, c := range weighAll(e) {
		if c.score() > 0 {
			v.Candidates = append(v.Candidates, c)
		}
	}
	v.name()
	best := byID(v.Family)
	c := cause.Of(e)
	v.Cause, v.MayHaveRun = c, texts.Sentence(mayHaveRun(e))
	v.Limit = texts.Sentence(limitText(e, c))
	for _, m := range meanings(e, c, best, len(v.Among) == 1) {
		v.Meaning = append(v.Meaning, texts.Sentence(m))
	}
	v.Changes = append(v.Changes, v.advice(e)...)
	if w := contradiction(e, v); !w.IsZero() {
		v.Warnings = append(v.Warnings, texts.Sentence(w))
	}
	if len(v.Among) == 1 && !v.Candidates[0].byNumber() && !(isH2(e) && withoutGoaway(e)) {
		v.Find = best.Find
	}
	return v
}

// name takes the best candidate, and with it those that the evidence does not tell from it.
func (v *Verdict) name() {
	if len(v.Candidates) == 0 {
		return
	}
	first := v.Candidates[0]
	v.Family, v.Name, v.Sure, v.Among = first.Family, first.Name, first.Sure, []string{first.Family}
	if first.Sure == Certain {
		return
	}
	for _, c := range v.Candidates[1:] { // the best first, so that Among is their beginning
		if first.behaviour-first.against-(c.behaviour-c.against) > alike {
			break
		}
		v.Among = append(v.Among, c.Family)
		v.Name = texts.Sentence(facts.Join("family.or", facts.Text(v.Name), facts.Text(c.Name)))
		v.Sure = Possible
	}
}

// weighAll collects the evidence for every family, the best first.
func weighAll(e facts.Endpoint) []Candidate {
	var out []Candidate
	word := grpcWord(e)
	for _, s := range servers() {
		c := Candidate{Family: s.ID, Name: s.Name, For: []Evidence{}, Against: []Evidence{}, kinds: map[string]bool{}}
		s.weighSettings(e, &c)
		for _, k := range s.Clue {
			k.weigh(e, &c)
		}
		s.weighNumbers(e, &c)
		s.weighHeader(e, &c)
		if word != "" && !s.Grpc {
			c.speaksAgainst(Evidence{About: aboutEnding, Weight: veto, Source: "gRFC A8, A9",
				Says: texts.Sentence(facts.T("family.grpc-text", strconv.Quote(word)))})
		}
		slices.SortStableFunc(c.For, func(a, b Evidence) int { return cmp.Compare(b.Weight, a.Weight) })
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.score(), a.score()), cmp.Compare(b.header, a.header)) // a name tells more than a number
	})
	for i := range out {
		rest := 0
		for j, other := range out {
			if i != j {
				rest = max(rest, other.behaviour-other.against)
			}
		}
		out[i].Sure = out[i].sure(rest)
	}
	return out
}

// sure returns the certainty of a candidate if the best other candidate has the score rest.
func (c Candidate) sure(rest int) string {
	net := c.behaviour - c.against
	switch {
	case c.against == 0 && net >= forCertain && len(c.kinds) > 1 && net >= rest+aheadBy:
		return Certain
	case c.behaviour > 0 && c.score() >= forLikely && net > rest:
		return Likely
	case c.score() > 0:
		return Possible
	}
	return Unknown
}

// weighNumbers compares the limit and the idle time with the family's defaults.
func (s server) weighNumbers(e facts.Endpoint, c *Candidate) {
	if l, ok := s.defaultLimit(e, cause.Of(e)); ok {
		c.speaksFor(Evidence{About: aboutBudget, Says: l.Says, Weight: weak, Source: s.Row[rowSource]})
	}
	if d, ok := s.defaultIdle(e); ok {
		c.speaksFor(Evidence{About: aboutBudget, Says: texts.Sentence(facts.T("family.idle-default", facts.Text(d.Says))),
			Weight: weak, Source: s.Row[rowSource]})
	}
}

func (s server) defaultLimit(e facts.Endpoint, c cause.Cause) (limit, bool) {
	if c.Kind != cause.Count {
		return limit{}, false
	}
	for _, l := range s.Limits {
		if (l.Protocol == facts.H1) == !isH2(e) && l.N == *c.Requests {
			return l, true
		}
	}
	return limit{}, false
}

// defaultIdle allows for the server's timer resolution and the network round trip.
func (s server) defaultIdle(e facts.Endpoint) (idleDefault, bool) {
	if !idleSeen(e) || e.Idle.Seconds == nil {
		return idleDefault{}, false
	}
	for _, d := range s.Idle {
		if got := *e.Idle.Seconds; got > d.Seconds-0.5 && got < d.Seconds+1.5 {
			return d, true
		}
	}
	return idleDefault{}, false
}

// weighHeader gives the header the least weight: an operator can set it to anything.
func (s server) weighHeader(e facts.Endpoint, c *Candidate) {
	if named(e.Server) != s.ID {
		return
	}
	c.speaksFor(Evidence{About: aboutHeader, Weight: weak, Source: "the Server header, which anybody can write",
		Says: texts.Sentence(facts.T("family.header-says", strconv.Quote(e.Server)))})
}

// named is the family of a Server header, or "". Its first word up to the version is a product's whole name: Apache-HttpCore is
// no Apache httpd.
func named(header string) string {
	header = strings.ToLower(strings.TrimSpace(header))
	for _, s := range servers() {
		for _, h := range s.Headers {
			if rest, ok := strings.CutPrefix(header, h); ok && (rest == "" || strings.ContainsAny(rest[:1], "/ (")) {
				return s.ID
			}
		}
	}
	return ""
}

// advice is what to change; nil if nothing observed needs a change. Look-alikes each get theirs.
func (v Verdict) advice(e facts.Endpoint) []cure.Change {
	var out []cure.Change
	for i, id := range v.Among {
		c := v.Cause
		switch {
		case isH2(e) && withoutGoaway(e): // all of these servers announce it
		case v.Candidates[i].byNumber(): // another server may have the same default
		case v.Candidates[i].otherSettings(): // it is rather a server that ends connections in the same way
		case c.Kind == cause.Several && len(v.Candidates[i].Against) > 0: // several families may answer
		case oneByEnvoy(id, c):
		case c.Kind == cause.Count && !c.Unanswered:
			out = append(out, cure.RequestLimit(id, *c.Requests, !isH2(e))...)
		case c.Kind == cause.Several:
			out = append(out, cure.RequestLimit(id, c.Groups[0].Requests, !isH2(e))...)
		case c.Kind == cause.Age:
			out = append(out, cure.Age(id)...)
		}
		if endsUnused(e, c) && !(idleWithoutGoaway(e) && byID(id).announcesIdle()) {
			out = append(out, cure.Idle(id)...)
		}
	}
	return out
}

// byNumber reports whether a number is all that speaks for a candidate.
func (c Candidate) byNumber() bool {
	return !slices.ContainsFunc(c.For, func(e Evidence) bool { return e.About != aboutBudget })
}

// otherSettings reports whether the SETTINGS frame is none of the candidate's.
func (c Candidate) otherSettings() bool {
	return slices.ContainsFunc(c.Against, func(e Evidence) bool { return e.About == aboutSettings })
}

func byID(id string) server {
	for _, s := range servers() {
		if s.ID == id {
			return s
		}
	}
	return server{Row: make([]string, rowSource+1)}
}

// contradiction warns if the header names another family than the behaviour.
func contradiction(e facts.Endpoint, v Verdict) facts.Text {
	header, says := named(e.Server), strconv.Quote(e.Server)
	switch {
	case e.Server == "" || slices.Contains(v.Among, header):
		return facts.Text{}
	case header == "" && (v.Family == "" || byID(v.Family).Quiet):
		return facts.Text{} // an unknown name, such as an application's, contradicts nothing
	case header == "":
		return facts.T("family.header-unknown", says)
	case v.Family == "":
		return facts.T("family.header-differs", says, facts.Text(byID(header).Short))
	}
	return facts.T("family.header-contradicts", says, facts.Text(byID(v.Family).Short))
}
