package storyverdicts

import (
	"fmt"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const (
	// twice: a client that dials once a renewal has one connection for each, and one whose requests outgrow a
	// connection's streams has two (facts.MaxConcurrentStreams is 128, a story has 100 users). More than two for each is
	// more than any careful client needs.
	twice = 2
	// edges is the number of renewals at the two ends of a window whose dials may fall into it without the renewal.
	edges = 2
	// rarer is the largest share of the damage per request that a cure may leave. A limit 100 times as high leaves a
	// hundredth; a tenth allows for LIMIT=10000 (the same value as in runverdicts).
	rarer = 0.1
)

// damage is what the renewals of a cell cost, over all its trials.
type damage struct {
	core.Found
	attempts, failed int64
	// A pointer is nil if a trial doesn't know the number.
	duplicates, accepted, used, expected, usedUp *int64
	message                                      string // the most frequent exception, verbatim
	messageAt                                    string // its pointer within the cell
}

func damageOf(c core.Found) damage {
	d := damage{Found: c}
	for _, t := range c.Trials {
		d.attempts += t.Attempts
		d.failed += t.Failed
	}
	sum := func(of func(facts.Trial) *int64) *int64 { return Sum(c.Cell, of) }
	d.duplicates = sum(func(t facts.Trial) *int64 { return t.Backend.Duplicates })
	d.accepted = sum(func(t facts.Trial) *int64 { return t.Connections.Accepted })
	d.used = sum(func(t facts.Trial) *int64 { return t.Connections.Used })
	d.expected = sum(func(t facts.Trial) *int64 { return t.Connections.Expected })
	d.usedUp = sum(func(t facts.Trial) *int64 { return t.Connections.UsedUp })
	d.message, d.messageAt = Exception(c.Cell)
	return d
}

// Sum adds up a count over the trials of a cell; nil if one of them doesn't know it.
func Sum(c *facts.Cell, of func(facts.Trial) *int64) *int64 {
	var total int64
	for _, t := range c.Trials {
		n := of(t)
		if n == nil {
			return nil
		}
		total += *n
	}
	return &total
}

// Exception is the most frequent exception of a cell's service, verbatim, with its pointer within the cell. Where the
// service reported none it is the most frequent failure of the users.
func Exception(c *facts.Cell) (message, at string) {
	var most int64
	take := func(errors []facts.Error, place string) {
		for k, e := range errors {
			if e.Count > most {
				most, message, at = e.Count, e.Message, fmt.Sprintf("%s/%d", place, k)
			}
		}
	}
	for i, t := range c.Trials {
		if t.Service != nil {
			take(t.Service.Errors, fmt.Sprintf("/trials/%d/service/errors", i))
		}
	}
	if most > 0 {
		return message, at
	}
	for i, t := range c.Trials {
		take(t.Errors, fmt.Sprintf("/trials/%d/errors", i))
	}
	return message, at
}

// renewals is how many connections were used up; -1 if neither that nor the expected ones are known.
func (d damage) renewals() int64 {
	switch {
	case d.usedUp != nil && *d.usedUp > 0:
		return *d.usedUp
	case d.expected != nil:
		return *d.expected
	}
	return -1
}

// known reports whether the counts were taken that the damage consists of.
func (d damage) known() bool { return d.duplicates != nil && d.accepted != nil && d.expected != nil }

// extra is the number of connections beyond those that a careful client needs. Over HTTP/1.1 a client renews one
// connection at a time and no request waits for it, so there are none.
func (d damage) extra() int64 {
	if d.Protocol == facts.H1 || d.accepted == nil || d.expected == nil {
		return 0
	}
	due := *d.expected
	if d.Program != nil && d.Program.AssumesLimit > 0 && d.used != nil {
		due = max(due, min(*d.accepted, *d.used)) // its own code renews connections before the server does
	}
	return max(0, *d.accepted-twice*due-edges*int64(len(d.Trials)))
}

// again is the number of executions of requests that the API had run before.
func (d damage) again() int64 {
	if d.duplicates == nil {
		return 0
	}
	return *d.duplicates
}

func (d damage) any() bool { return d.extra() > 0 || d.failed > 0 || d.again() > 0 }

// left reports whether a cure leaves more than a tenth of the damage, or does another one.
func (d damage) left(before damage) bool {
	rate := func(d damage, n int64) float64 { return float64(n) / float64(max(d.attempts, 1)) }
	remains := func(n, was int64) bool { return n > 0 && rate(d, n) > rarer*rate(before, was) }
	return remains(d.extra(), before.extra()) || remains(d.failed, before.failed) || remains(d.again(), before.again())
}

// account describes the damage: connections, repeated requests, failures.
func (d damage) account() facts.Text {
	text := facts.T("storyverdict.failed", core.Count(float64(d.failed)), core.Things(d.attempts, core.Requests))
	if d.message != "" && d.failed > 0 {
		text.Add(facts.T("storyverdict.message", d.message))
	}
	if d.duplicates != nil {
		text.Add(facts.T("storyverdict.executed-again", core.Things(*d.duplicates, core.Requests)))
	}
	if d.accepted != nil && d.expected != nil {
		text.Add(facts.T("storyverdict.accepted-expected", core.Things(*d.accepted, core.Connections),
			core.Count(float64(*d.expected))))
	}
	if d.used != nil {
		text.Add(facts.T("storyverdict.used", core.Count(float64(*d.used))))
	}
	return text
}

// places is the evidence of the damage.
func (d damage) places() []string {
	places := []string{"/summary/failed/median", "/summary/duplicates/median", "/summary/accepted/median",
		"/summary/expected/median"}
	if d.messageAt != "" {
		places = append(places, d.messageAt+"/message", d.messageAt+"/count")
	}
	return d.See(places...)
}

// median writes the median of one number of a cell.
func median(c core.Found, of func(facts.Trial) *float64) string {
	return text.Maybe(core.Middle(c.Cell, of), text.Measured)
}
