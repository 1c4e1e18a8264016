package nginxconf

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

func upstreamNotKept(c *config, r lint.Rule, add func(lint.Finding)) {
	seen := map[*pool]bool{}
	for _, p := range c.passes {
		if p.pool == nil || seen[p.pool] || c.kept(p.pool).connections != 0 {
			continue
		}
		seen[p.pool] = true
		switch by := c.kept(p.pool).by; {
		case by == nil:
			add(in(r, p.pool.d, "keepalive 32;", facts.T("nginx.not-kept", c.release.String(), fmt.Sprintf("%q", p.pool.name))))
		case by.Arg(0) == "0" && c.release.AtLeast(1, 29, 7): // older releases reject it
			add(at(r, by, "keepalive 32;", facts.T("nginx.cache-off")))
		}
	}
	for _, passes := range c.unpooled() {
		add(c.toPool(r, passes))
	}
}

// toPool is the finding for the passes to one address: an upstream block for it, and the passes that
// name the block.
func (c *config) toPool(r lint.Rule, passes []*pass) lint.Finding {
	first := passes[0]
	f := r.New(first.d.File, first.d.Line, facts.T("nginx.no-upstream-block", first.target))
	if first.unix() {
		f.Add(facts.T("nginx.without-tcp"))
	}
	f.Severity, f.Column, f.Found = lint.Note, first.d.Column, first.d.Text()
	name, exists := c.poolName(first)
	if exists {
		f.Add(facts.T("nginx.has-this-server", fmt.Sprintf("%q", name)))
	} else {
		block := fmt.Sprintf("upstream %s { server %s; keepalive 32; }", name, first.server())
		f.Fix = block + "   # in http\n"
		f.Edits = []lint.Edit{{Kind: lint.Before, File: first.s.d.File, From: first.s.d.From, To: first.s.d.From,
			Key: "upstream " + name, Text: block}}
	}
	for i, p := range passes {
		lines, edits := c.via(p, name)
		f.Edits = append(f.Edits, edits...)
		if i == 0 {
			f.Fix += lines
		} else {
			f.Also = append(f.Also, lint.Place{File: p.d.File, Line: p.d.Line})
		}
	}
	return f
}

func upstreamCloses(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.passes {
		if p.d.Name != "proxy_pass" || p.pool == nil || c.kept(p.pool).connections == 0 {
			continue
		}
		version, by := c.httpVersion(p)
		closes, name := c.closes(p), fmt.Sprintf("%q", p.pool.name)
		var why facts.Text
		switch {
		case version == "1.0" && by == nil:
			why = facts.T("nginx.as-http10-by-default", name)
		case version == "1.0":
			why = facts.T("nginx.as-http10", name)
		case version != "1.1" || !closes.is:
			continue
		case closes.header == nil:
			why = facts.T("nginx.close-by-default", name)
		case closes.entry != nil:
			why = facts.T("nginx.close-by-map", name, closes.header.Arg(1), closes.entry.File, closes.entry.Line)
		default:
			why = facts.T("nginx.close", name)
		}
		s := &change{c: c, p: p}
		s.keep()
		s.addHeaders()
		lines, edits := s.done()
		f := in(r, p.d, strings.Join(lines, "\n"), why)
		f.Edits = edits
		add(f)
	}
}

func upstreamLow(c *config, r lint.Rule, add func(lint.Finding)) {
	seen := map[*pool]bool{}
	for _, p := range c.passes {
		if p.pool == nil || seen[p.pool] {
			continue
		}
		seen[p.pool] = true
		k := c.kept(p.pool)
		if k.connections == 0 || k.requests.Requests == nil || *k.requests.Requests > 100 {
			continue
		}
		add(c.poolLine(r, p.pool, "keepalive_requests", "1000",
			facts.T("nginx.upstream-low", fmt.Sprintf("%q", p.pool.name), int(*k.requests.Requests), facts.Text(k.requests.From))))
	}
}

// upstreamOutlives compares only with servers of this same configuration: the settings of others
// are unknown.
func upstreamOutlives(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.passes {
		if p.pool == nil {
			continue
		}
		k := c.kept(p.pool)
		for _, b := range c.behind(p) {
			behind := c.idle(b.rules, b.h2())
			if k.connections == 0 || k.idle.Seconds == nil || behind.Seconds == nil || *behind.Seconds == 0 ||
				*k.idle.Seconds < *behind.Seconds {
				continue
			}
			add(c.poolLine(r, p.pool, "keepalive_timeout", written(max(*behind.Seconds/2, 1)),
				facts.T("nginx.outlives", fmt.Sprintf("%q", p.pool.name), written(*k.idle.Seconds), facts.Text(k.idle.From),
					b.s.d.File, b.s.d.Line, written(*behind.Seconds), facts.Text(behind.From))))
		}
	}
}

// poolLine is a finding at a directive of an upstream block, or at the block when the directive is
// absent. A release that doesn't know the directive gets no fix.
func (c *config) poolLine(r lint.Rule, u *pool, name, value string, why ...facts.Text) lint.Finding {
	fix := name + " " + value + ";"
	if d := u.d.First(name); d != nil {
		return at(r, d, fix, why...)
	}
	if !c.release.known("upstream/" + name) {
		fix = ""
	}
	return in(r, u.d, fix, why...)
}

func upstreamGoaway(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.passes {
		version, by := c.httpVersion(p)
		retry := "proxy_next_upstream"
		if p.d.Name == "grpc_pass" {
			retry, by = "grpc_next_upstream", nil
		} else if version != "2" || !c.release.AtLeast(1, 29, 4) {
			continue
		}
		if p.pool != nil && c.kept(p.pool).connections != 0 && !c.retries(p, retry) { // one request never reaches a limit
			add(c.goaway(r, p, by, retry))
		}
	}
}

// goaway is the finding for one pass. When the server behind it is in this configuration, its limits
// are known and the fix has a number.
func (c *config) goaway(r lint.Rule, p *pass, by *nginxfile.Directive, retry string) lint.Finding {
	why := facts.T("nginx.goaway", fmt.Sprintf("%q", p.pool.name))
	for _, b := range c.behind(p) {
		n, k := b.limit.Requests, c.kept(p.pool).requests
		if n != nil && k.Requests != nil && *k.Requests >= *n {
			return c.poolLine(r, p.pool, "keepalive_requests", fmt.Sprint(max(*n*9/10, 1)), why, facts.T("nginx.goaway-of",
				b.s.d.File, b.s.d.Line, int(*n), facts.Text(b.limit.From), int(*k.Requests), facts.Text(k.From)))
		}
	}
	where, fix := p.d, retry+" error timeout invalid_header;"
	if by != nil {
		where = by
	}
	if len(p.pool.d.All("server")) < 2 {
		fix = ""
	}
	f := in(r, where, fix, why)
	if fix == "" {
		f.Add(facts.T("nginx.no-second-server"))
	}
	f.Severity = lint.Note
	return f
}

// retries reports whether nginx sends a request again, to another server, when a GOAWAY left it out.
func (c *config) retries(p *pass, name string) bool {
	for _, d := range c.inherits(p.d, name) {
		said := slices.ContainsFunc(d.Args, func(w nginxfile.Word) bool { return w.Text == "invalid_header" })
		return said && len(p.pool.d.All("server")) > 1
	}
	return false
}
