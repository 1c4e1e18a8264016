package accesslog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// HealthCheck is a client that asks the same at regular times, each time on a new connection.
type HealthCheck struct {
	Agent       string  `json:"agent"`
	Request     string  `json:"request"`
	Connections uint64  `json:"connections"`
	EveryS      float64 `json:"every_s"`
}

// checkGroup counts the connections of one client whose first request is the same.
type checkGroup struct {
	agent, request string
	client         uint32
	checks         bool   // they are health checks
	n              uint64 // connections that began
	several        uint64 // of those that ended, those with more than one request
	first, last    int64  // in milliseconds
	squares        float64
	// Connections of a minute: of full minutes their number, sum and sum of squares.
	minute, inMinute, minutes int64
	sum, sumSquares           float64
}

// checks are the groups that may be health checks, by a hash of client and request.
type checks struct {
	groups map[uint32]*checkGroup
	full   int64 // until then, in milliseconds, there is no room for another
}

const (
	mostChecks = 4096
	// leastChecks is how often something must happen to be regular.
	leastChecks = 6
	// forgottenAfter is how long a rare group is kept, in milliseconds.
	forgottenAfter = 15 * 60 * 1000
)

// began counts a connection by its first request and returns its group; 0 means none.
func (c *checks) began(r *Record, client uint32) uint32 {
	if r.Ordinal > 1 || client == 0 || !r.Timed {
		return 0
	}
	k := uint32(xxhash.Sum64(r.Request)) ^ client
	g := c.groups[k]
	if g == nil {
		if !c.room(r.Time) {
			return 0
		}
		g = &checkGroup{client: client, first: r.Time, last: r.Time, minute: r.Time / 60_000}
		c.groups[k] = g
	}
	if g.n == 1 { // most groups have one connection and need no name
		g.agent, g.request = string(r.Agent), string(r.Request)
	}
	g.count(r.Time)
	return k
}

// room reports whether there is room for another group, and forgets rare ones for it.
func (c *checks) room(now int64) bool {
	if len(c.groups) < mostChecks {
		return true
	}
	if now < c.full {
		return false
	}
	for k, g := range c.groups {
		if g.n < leastChecks && g.last < now-forgottenAfter {
			delete(c.groups, k)
		}
	}
	c.full = now + 60_000
	return len(c.groups) < mostChecks
}

func (g *checkGroup) count(ms int64) {
	g.n++
	g.squares += float64(ms-g.last) * float64(ms-g.last)
	g.last = max(g.last, ms)
	if m := ms / 60_000; m > g.minute {
		if g.minutes > 0 { // the first minute is not whole
			g.sum += float64(g.inMinute)
			g.sumSquares += float64(g.inMinute * g.inMinute)
		}
		g.minutes += m - g.minute
		g.minute, g.inMinute = m, 0
	}
	g.inMinute++
}

// ended counts a connection with more than one request.
func (c *checks) ended(e *entry) {
	if g := c.groups[e.check]; g != nil && e.most > 1 {
		g.several++
	}
}

// checkers are programs whose requests are health checks: the agents that Kubernetes, Google Cloud, AWS,
// Consul and Envoy document for theirs.
var checkers = []string{"kube-probe/", "GoogleHC/", "ELB-HealthChecker/", "Amazon-Route53-Health-Check-Service",
	"Consul Health Check", "Envoy/HC"}

const (
	// irregular is the deviation of the intervals, relative to their mean, and unsteady the variance of the
	// connections a minute, relative to theirs: arrivals at random have 1 for both.
	irregular = 0.5
	unsteady  = 0.4
	// clearly regular are fewer than someChecks: the deviation of a few random intervals is often small.
	clearlyRegular, someChecks = 0.25, 20
	// alone is the share of its connections that a client opens for checks, if it is nothing but a checker.
	alone = 0.9
)

// settle decides which groups are health checks: those of a program that is known for it, and those of a client that
// does hardly anything else.
func (c *checks) settle() {
	all, regular := map[uint32]uint64{}, map[uint32]uint64{}
	for _, g := range c.groups {
		all[g.client] += g.n
		if g.regular() {
			regular[g.client] += g.n
		}
	}
	for _, g := range c.groups {
		g.checks = g.regular() && (g.named() || float64(regular[g.client]) >= alone*float64(all[g.client]))
	}
}

// named reports whether a program is known for health checks.
func (g *checkGroup) named() bool {
	return slices.ContainsFunc(checkers, func(name string) bool { return strings.HasPrefix(g.agent, name) })
}

// regular reports whether a group may be one of health checks.
func (g *checkGroup) regular() bool {
	if g.n < leastChecks || g.several > 0 {
		return false
	}
	if g.named() {
		return true
	}
	mean := float64(g.last-g.first) / float64(g.n-1)
	if mean < 500 {
		return false
	}
	deviation := math.Sqrt(max(0, g.squares/float64(g.n-1)-mean*mean))
	if deviation <= irregular*mean && (g.n >= someChecks || deviation <= clearlyRegular*mean) {
		return true
	}
	minutes := float64(g.minutes - 1)
	perMinute := g.sum / max(1, minutes)
	return minutes >= leastChecks && perMinute >= 1 &&
		g.sumSquares/minutes-perMinute*perMinute <= unsteady*perMinute
}

// mostHealthChecks limits the list.
const mostHealthChecks = 20

// found are the health checks, those with the most connections first, and the connections of all.
func (c *checks) found() (list []HealthCheck, connections uint64) {
	list = []HealthCheck{}
	for _, g := range c.groups {
		if !g.checks {
			continue
		}
		connections += g.n
		list = append(list, HealthCheck{Agent: strings.ToValidUTF8(g.agent, "?"), Connections: g.n,
			Request: strings.ToValidUTF8(g.request, "?"), EveryS: float64(g.last-g.first) / 1000 / float64(g.n-1)})
	}
	slices.SortFunc(list, func(a, b HealthCheck) int {
		return cmp.Or(cmp.Compare(b.Connections, a.Connections), cmp.Compare(a.Agent, b.Agent),
			cmp.Compare(a.Request, b.Request))
	})
	return list[:min(len(list), mostHealthChecks)], connections
}
