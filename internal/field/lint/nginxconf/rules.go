package nginxconf

import (
	"strings"

	"h2lab/internal/base/nginxfile"
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
		limitBelowInFlight, limitLow, oneRequest, ageShort, flood, locationIgnored, sharedSocket, minTimeout,
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

// at is a finding at a directive that the fix replaces.
func at(r lint.Rule, d *nginxfile.Directive, why, fix string) lint.Finding {
	f := r.New(d.File, d.Line, why)
	f.Column, f.Found, f.Fix = d.Column, d.Text(), fix
	return f
}

// in is a finding at a directive that stays: the fix goes beside it, or inside it when it is a block.
func in(r lint.Rule, d *nginxfile.Directive, why, fix string) lint.Finding {
	f := r.New(d.File, d.Line, why)
	f.Column = d.Column
	if fix == "" {
		return f
	}
	indent := ""
	if d.HasBlock {
		indent = "    "
	}
	f.Found = d.Text()
	f.Fix = f.Found
	for line := range strings.Lines(fix) {
		f.Fix += "\n" + indent + strings.TrimRight(line, "\n")
	}
	return f
}

// roomy is the limit that fixes set: it causes a hundredth of the default's renewals, and
// keepalive_time still bounds a connection's age.
const roomy = "100000"

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
