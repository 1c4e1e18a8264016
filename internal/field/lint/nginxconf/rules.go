package nginxconf

import (
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// rule is one thing to look for, in a file of its own.
type rule struct {
	lint.Rule
	check func(*config, lint.Rule) []lint.Finding
}

// table holds every rule: first what loses requests, then what costs
// connections, then the second hop, then what nginx refuses.
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

// Rules are all rules of this room, in the order they are looked for.
var Rules = func() []lint.Rule {
	var out []lint.Rule
	for _, r := range table() {
		out = append(out, r.Rule)
	}
	return out
}()

const docs = "https://nginx.org/en/docs/http/"

// at is a finding at a directive, which the fix replaces.
func at(r lint.Rule, d *nginxfile.Directive, why, fix string) lint.Finding {
	f := r.New(d.File, d.Line, why)
	f.Column, f.Found, f.Fix = d.Column, d.Text(), fix
	return f
}

// in is a finding at a directive that stays, beside which the fix is to be put:
// inside it when it is a block.
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

// roomy is the limit that the fixes write: a hundredth of the renewals of the
// default, while keepalive_time still bounds a connection's age.
const roomy = "100000"

// group is places with the same limit from the same line. by is nil when it is
// a default; block is then where a line could be put.
type group struct {
	by, block *nginxfile.Directive
	places    []place
}

// byLimit groups the places that speak HTTP/2 by where their limit comes from,
// so that one line to change is one finding.
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

// finding puts a group's finding where its line is, or has to be put.
func (g *group) finding(r lint.Rule, why, fix string) lint.Finding {
	if g.by != nil {
		return at(r, g.by, why, fix)
	}
	return in(r, g.block, why, fix)
}
