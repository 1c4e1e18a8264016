package family

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

// The thresholds of certainty: Certain counts behaviour alone, the lower levels also count the
// header.
const (
	forCertain = 6
	forLikely  = 3
	aheadBy    = 3 // lead over the next family for Certain
)

// Judge infers the endpoint's server family, what that means and what to change.
func Judge(e facts.Endpoint) Verdict {
	v := Verdict{
		Sure:       Unknown,
		Meaning:    []string{},
		Changes:    []Change{},
		Candidates: []Candidate{},
		Warnings:   []string{},
	}
	all := weighAll(e)
	for _, c := range all {
		if c.score() > 0 {
			v.Candidates = append(v.Candidates, c)
		}
	}
	var best server
	if len(v.Candidates) > 0 {
		first := &v.Candidates[0]
		v.Family, v.Name, v.Sure = first.Family, first.Name, first.Sure
		best = byID(v.Family)
	}
	v.Limit = limitSentence(e)
	v.Meaning = append(v.Meaning, meanings(e, best)...)
	v.Changes = append(v.Changes, best.advice(e)...)
	v.Warnings = append(v.Warnings, contradictions(e, v)...)
	v.Next = next(e, best)
	return v
}

// weighAll collects the evidence for every family, the best first.
func weighAll(e facts.Endpoint) []Candidate {
	var out []Candidate
	for _, s := range servers() {
		c := Candidate{Family: s.id, Name: s.name, For: []Evidence{}, Against: []Evidence{}, kinds: map[string]bool{}}
		s.weighSettings(e, &c)
		for _, k := range s.clues {
			k.weigh(e, &c)
		}
		s.weighNumbers(e, &c)
		s.weighHeader(e, &c)
		slices.SortStableFunc(c.For, func(a, b Evidence) int { return cmp.Compare(b.Weight, a.Weight) })
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(b.score(), a.score()) })
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
	if l, ok := s.defaultLimit(e); ok {
		c.speaksFor(Evidence{About: aboutBudget, Says: l.says, Weight: weak, Source: s.row.Source})
	}
	if d, ok := s.defaultIdle(e); ok {
		c.speaksFor(Evidence{
			About:  aboutBudget,
			Says:   "an unused connection is ended after it: " + d.says,
			Weight: weak,
			Source: s.row.Source,
		})
	}
}

func (s server) defaultLimit(e facts.Endpoint) (limit, bool) {
	if e.Ending == nil || !e.Budget.Exact() {
		return limit{}, false
	}
	for _, l := range s.limits {
		if (l.protocol == facts.H1) == !isH2(e) && l.n == *e.Budget.Most {
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
	for _, d := range s.idle {
		if got := *e.Idle.Seconds; got > d.seconds-0.5 && got < d.seconds+1.5 {
			return d, true
		}
	}
	return idleDefault{}, false
}

// weighHeader gives the header the least weight: an operator can set it to anything.
func (s server) weighHeader(e facts.Endpoint, c *Candidate) {
	if named(e.Server) != s.id {
		return
	}
	c.speaksFor(Evidence{About: aboutHeader, Weight: weak, Source: "the Server header, which anybody can write",
		Says: fmt.Sprintf("the Server header says %q", e.Server)})
}

// named is the family of a Server header, or "".
func named(header string) string {
	header = strings.ToLower(strings.TrimSpace(header))
	for _, s := range servers() {
		for _, h := range s.headers {
			if rest, ok := strings.CutPrefix(header, h); ok && (rest == "" || strings.ContainsAny(rest[:1], "/ -(")) {
				return s.id
			}
		}
	}
	return ""
}

// advice is what to change; nil if nothing observed needs a change.
func (s server) advice(e facts.Endpoint) []Change {
	var out []Change
	if e.Ending != nil {
		out = cure.RequestLimit(s.id, int(e.Budget.Least), !isH2(e))
	}
	if shortIdle(e) {
		out = append(out, cure.Idle(s.id)...)
	}
	return out
}

func byID(id string) server {
	for _, s := range servers() {
		if s.id == id {
			return s
		}
	}
	return server{}
}

// contradictions warn if the header names another family than the behaviour.
func contradictions(e facts.Endpoint, v Verdict) []string {
	header := named(e.Server)
	switch {
	case e.Server == "" || header == v.Family && header != "":
		return nil
	case header == "" && (v.Family == "" || byID(v.Family).quiet):
		return nil // an unknown name, such as an application's, contradicts nothing
	case header == "":
		return []string{
			fmt.Sprintf("the Server header says %q, which names no server known here: perhaps an application behind; "+
				"what ends the connections stands in front of it", e.Server),
		}
	case v.Family == "":
		return []string{
			fmt.Sprintf("the Server header says %q, but what was seen is not how %s behaves: something else may "+
				"stand in front, and end the connections", e.Server, byID(header).short),
		}
	}
	return []string{fmt.Sprintf("the Server header says %q, but the connections behave as those of %s: %s may stand "+
		"in front and pass the header on, and then the limit is set there; or somebody wrote the header",
		e.Server, byID(v.Family).short, byID(v.Family).short)}
}
