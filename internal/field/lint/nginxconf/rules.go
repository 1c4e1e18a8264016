package nginxconf

import (
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

// rule is one check; each has a file of its own.
type rule struct {
	lint.Rule
	check func(*config, lint.Rule) []lint.Finding
}

// table returns all rules, in this order: lost requests, wasted connections, connections to upstreams,
// files that nginx rejects.
func table() []rule {
	return []rule{
		limitBelowInFlight, limitLow, oneRequest, ageShort, idleShort, streamsLow, flood, locationIgnored, sharedSocket, minTimeout,
		obsolete, beforeMerge, listenHTTP2, quicLimit, noResumption, workerConnections,
		upstreamNotKept, upstreamCloses, upstreamLow, upstreamOutlives, upstreamH2,
		refusedValue, refusedDuplicate, refusedPlace, refusedRelease, missingSemicolon,
		includeAbsent, includeNothing,
	}
}

var rules = table()

// Rules lists all rules of this package, in the order of table.
var Rules = func() []lint.Rule {
	var out []lint.Rule
	for _, r := range table() {
		out = append(out, r.Rule)
	}
	return out
}()

const docs = "https://nginx.org/en/docs/http/"

// requestLimit is the line that raises a limit of met requests, as every field tool offers it.
func (c *config) requestLimit(met int64) string {
	for _, change := range cure.RequestLimit(cure.Nginx, int(met), false) {
		if strings.HasPrefix(change.Line, c.countName(true)+" ") {
			return change.Line
		}
	}
	return ""
}

// group is the places that get the same limit from the same line. by is nil when the limit is a
// default; block is then the block to set it in.
type group struct {
	by, block *nginxfile.Directive
	places    []place
}

// byLimit groups the places that accept HTTP/2 by the source of their limit, so that one line to
// change is one finding.
func (c *config) byLimit() []*group {
	var out []*group
	known := map[*nginxfile.Directive]*group{}
	for _, p := range c.h2Places() {
		if p.once != nil { // one-request reports it, and no limit matters beside it
			continue
		}
		block := p.rules.http
		if c.fragment {
			block = p.rules.d
		}
		key := p.limitBy
		if key == nil {
			key = block
		}
		g := known[key]
		if g == nil {
			g = &group{by: p.limitBy, block: block}
			known[key] = g
			out = append(out, g)
		}
		g.places = append(g.places, p)
	}
	return out
}

// finding is the group's finding, at the line of its limit or at the block to set it in.
func (g *group) finding(r lint.Rule, why, fix string) lint.Finding {
	if g.by != nil {
		return at(r, g.by, why, fix)
	}
	return in(r, g.block, why, fix)
}
