package nginxconf

import (
	"fmt"
	"h2lab/internal/facts"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var upstreamNotKept = rule{lint.Rule{
	ID: "nginx/upstream-not-kept", Severity: lint.Warning,
	Title: "Every request opens a connection to the upstream",
	Help: "nginx keeps connections to an upstream block since 1.29.7 by itself and before with `keepalive N;` only; " +
		"to an address written into proxy_pass it keeps none. Then the second hop opens a connection for each " +
		"request, which hides behind the first hop's renewals.",
	Docs: docs + "ngx_http_upstream_module.html#keepalive",
}, checkUpstreamNotKept}

func checkUpstreamNotKept(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	seen := map[*nginxfile.Directive]bool{}
	for _, p := range c.passes {
		if p.pool == nil || seen[p.pool.d] || c.kept(p.pool).connections != 0 {
			continue
		}
		seen[p.pool.d] = true
		if by := c.kept(p.pool).by; by != nil {
			if c.release.AtLeast(1, 29, 7) && by.Arg(0) == "0" { // older releases reject it
				out = append(out, at(r, by, "0 turns the cache of connections off.", "keepalive 32;"))
			}
			continue
		}
		out = append(out, in(r, p.pool.d, fmt.Sprintf("Without `keepalive` nginx %s closes each connection to %q "+
			"after one request (1.29.7 and later keep 32).", c.release, p.pool.name), "keepalive 32;"))
	}
	for _, t := range c.targets() {
		out = append(out, c.unpooled(r, t))
	}
	return out
}

// unpooled is the finding for the passes to one address: an upstream block for it, and the passes that
// name the block.
func (c *config) unpooled(r lint.Rule, t *target) lint.Finding {
	first := t.passes[0]
	why := fmt.Sprintf("%s is no upstream block, and nginx keeps connections to those alone.", t.address)
	if t.unix() {
		why += " Without TCP a connection costs little here."
	}
	f := r.New(first.d.File, first.d.Line, facts.Verbatim(why))
	f.Severity, f.Column = lint.Note, first.d.Column
	name, exists := c.poolName(t)
	if exists {
		f.Add(facts.Verbatim(fmt.Sprintf("The upstream block %q has this server: name that.", name)))
	} else {
		f.Fix = fmt.Sprintf("upstream %s { server %s; keepalive 32; }   # in http", name, t.server())
		f.Edits = append(f.Edits, newPool(first, name, t.server()))
	}
	for i, p := range t.passes {
		lines, edits := c.via(p, name)
		f.Edits = append(f.Edits, edits...)
		if i > 0 {
			f.Also = append(f.Also, lint.Place{File: p.d.File, Line: p.d.Line})
			continue
		}
		if f.Found = p.d.Text(); f.Fix != "" && lines != "" {
			f.Fix += "\n"
		}
		f.Fix += lines
	}
	return f
}

// newPool is the edit that adds an upstream block in front of the pass's server.
func newPool(p *pass, name, server string) lint.Edit {
	return lint.Edit{Kind: lint.Before, File: p.s.d.File, From: p.s.d.From, To: p.s.d.From, Key: "upstream " + name,
		Text: fmt.Sprintf("upstream %s { server %s; keepalive 32; }", name, server)}
}
