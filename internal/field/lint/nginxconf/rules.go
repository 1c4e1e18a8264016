package nginxconf

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

// check adds the findings of one rule.
type check func(c *config, r lint.Rule, add func(lint.Finding))

// checks are the rules' functions by the rules' ids; rules.toml has the texts and the order.
var checks = map[string]check{
	"nginx/limit-below-in-flight": limits(lint.Error),
	"nginx/limit-low":             limits(lint.Warning),
	"nginx/one-request":           oneRequest,
	"nginx/age-short":             ageShort,
	"nginx/idle-short":            idleShort,
	"nginx/streams-low":           streamsLow,
	"nginx/flood-allowance":       floodAllowance,
	"nginx/location-ignored":      locationIgnored,
	"nginx/shared-socket":         sharedSocket,
	"nginx/min-timeout":           minTimeout,
	"nginx/obsolete":              obsolete,
	"nginx/before-1.19.7":         beforeMerge,
	"nginx/listen-http2":          listenHTTP2,
	"nginx/http3-limit":           http3Limit,
	"nginx/no-resumption":         noResumption,
	"nginx/worker-connections":    workerConnections,
	"nginx/upstream-not-kept":     upstreamNotKept,
	"nginx/upstream-closes":       upstreamCloses,
	"nginx/upstream-low":          upstreamLow,
	"nginx/upstream-outlives":     upstreamOutlives,
	"nginx/upstream-h2-goaway":    upstreamGoaway,
	"nginx/swallowed":             swallowedDirective,
	"nginx/include-absent":        includeAbsent,
	"nginx/include-nothing":       includeNothing,
}

// limits finds the groups of places whose limit has that severity.
func limits(severity lint.Severity) check {
	return func(c *config, r lint.Rule, add func(lint.Finding)) {
		for _, g := range c.byLimit() {
			p := g.places[0]
			streams := c.streams(p.rules)
			if p.limit.Requests == nil || lint.Weigh(*p.limit.Requests, streams) != severity {
				continue
			}
			name, n := c.countName(true), int(*p.limit.Requests)
			why := []facts.Text{facts.T("nginx.limit", g.subject(name), n, 2*n-1), facts.T("nginx.then-dial", streams)}
			if severity == lint.Error {
				why = append(why, facts.T("nginx.one-burst", streams))
			}
			f := c.atLimit(r, g, why...)
			if name != "keepalive_requests" {
				f.Docs = "https://nginx.org/en/docs/http/ngx_http_v2_module.html#http2_max_requests"
			}
			add(f)
		}
	}
}

// subject says where the limit is set and which places it applies to.
func (g *group) subject(name string) facts.Text {
	p := g.places[0]
	value := facts.Verbatim(fmt.Sprint(*p.limit.Requests))
	if g.by == nil {
		value = facts.T("nginx.value-from", value, facts.Text(p.limit.From))
	}
	if n := len(g.places); n > 1 {
		return facts.T("nginx.is-at", name, value, n)
	}
	return facts.T("nginx.is", name, value)
}

// atLimit is a finding at the line of a group's limit, or at the block to set it in, with the line that raises the
// limit, as every field tool offers it.
func (c *config) atLimit(r lint.Rule, g *group, why ...facts.Text) lint.Finding {
	fix := ""
	for _, change := range cure.RequestLimit(cure.Nginx, int(*g.places[0].limit.Requests), false) {
		if fix == "" && strings.HasPrefix(change.Line, c.countName(true)+" ") {
			fix = change.Line
		}
	}
	if g.by != nil {
		return at(r, g.by, fix, why...)
	}
	return in(r, g.block, fix, why...)
}

// idleLine is the idle timeout that every field tool offers for nginx.
var idleLine = cure.Idle(cure.Nginx)[0].Line

func oneRequest(c *config, r lint.Rule, add func(lint.Finding)) {
	why := facts.T("nginx.one-request")
	if !c.release.AtLeast(1, 19, 8) {
		why = facts.T("nginx.closes-at-once")
	}
	for _, p := range c.h2Places() {
		if p.once != nil {
			add(at(r, p.once, idleLine, why))
		}
	}
}

func ageShort(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.h2Places() {
		d, age := p.rules.find("keepalive_time"), c.age(p.rules).Seconds
		if d != nil && age != nil && *age < lint.ShortAge.Seconds() {
			f := at(r, d, cure.Age(cure.Nginx)[0].Line, facts.T("nginx.age", written(*age)))
			f.Ahead = lint.Momentary(time.Duration(*age * float64(time.Second)))
			add(f)
		}
	}
}

func idleShort(c *config, r lint.Rule, add func(lint.Finding)) {
	if !c.release.AtLeast(1, 19, 7) { // keepalive_timeout applied to HTTP/1 only
		return
	}
	for _, p := range c.h2Places() {
		d, idle := p.rules.find("keepalive_timeout"), c.idle(p.rules, true).Seconds
		if d == nil || idle == nil || *idle == 0 || *idle >= lint.ShortIdle.Seconds() {
			continue
		}
		f := at(r, d, idleLine, facts.T("lint.idle-ends", written(*idle)))
		f.WeighIdle(time.Duration(*idle * float64(time.Second)))
		add(f)
	}
}

func streamsLow(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.h2Places() {
		d, n := p.rules.find("http2_max_concurrent_streams"), c.concurrency(p.rules).Requests
		if d != nil && n != nil && *n < int64(c.inFlight) {
			add(at(r, d, fmt.Sprintf("http2_max_concurrent_streams %d;", max(128, c.inFlight)),
				facts.T("lint.streams-low", int(*n), c.inFlight)))
		}
	}
}

// floodAt is the highest limit that the rule reports: its flood allowance is 200 frames.
const floodAt = 20

func floodAllowance(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, g := range c.byLimit() {
		if n := g.places[0].limit.Requests; n != nil && *n <= floodAt && c.release.AtLeast(1, 17, 3) {
			add(c.atLimit(r, g, facts.T("nginx.flood", int(*n), 10*int(*n))))
		}
	}
}

func locationIgnored(c *config, r lint.Rule, add func(lint.Finding)) {
	seen := map[*server]bool{}
	for _, p := range c.h2Places() {
		if seen[p.s] {
			continue
		}
		seen[p.s] = true
		p.s.d.Walk(func(d *nginxfile.Directive) {
			if slices.Contains([]string{"keepalive_requests", "keepalive_time", "keepalive_timeout"}, d.Name) &&
				d.Parent != nil && d.Parent.Name == "location" {
				add(in(r, d, "", facts.T("nginx.location", p.s.d.Line)))
			}
		})
	}
}

func sharedSocket(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.h2Places() {
		own, d := c.limit(p.s, true)
		first, _ := c.limit(p.k.chosen, true)
		if p.k.chosen == p.s || own.Requests == nil || first.Requests == nil || *own.Requests == *first.Requests {
			continue
		}
		if d == nil || d.Parent != p.s.d {
			d = p.s.d
		}
		args := []any{p.l.address, int(*first.Requests), p.k.chosen.d.File, p.k.chosen.d.Line, int(*own.Requests)}
		f := in(r, d, "", facts.T("nginx.shared", args...))
		if slices.Contains(p.protocols, "h2c") {
			f = in(r, d, "", facts.T("nginx.shared-cleartext", args...))
			f.Severity = lint.Warning
		}
		add(f)
	}
}

func minTimeout(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.h2Places() {
		if d := p.rules.find("keepalive_min_timeout"); d != nil {
			add(in(r, d, "", facts.T("nginx.min-timeout")))
		}
	}
}

// successors maps the HTTP/2 directives that 1.19.7 removed to their replacements; those of header
// sizes have one that takes other values. nginx prints a warning and ignores the old ones (ngx_http_v2_obsolete).
var successors = map[string]string{
	"http2_max_requests":    "keepalive_requests",
	"http2_idle_timeout":    "keepalive_timeout",
	"http2_recv_timeout":    "client_header_timeout",
	"http2_max_field_size":  "large_client_header_buffers",
	"http2_max_header_size": "large_client_header_buffers",
}

func obsolete(c *config, r lint.Rule, add func(lint.Finding)) {
	if !c.release.AtLeast(1, 19, 7) {
		return
	}
	c.top.Walk(func(d *nginxfile.Directive) {
		to, old := successors[d.Name]
		if !old || !ofServers(d) {
			return
		}
		why := []facts.Text{facts.T("nginx.ignored", to)}
		if d.Name == "http2_max_requests" {
			why = append(why, facts.T("nginx.ignored-limit"))
		}
		sizes, block, fix := to == "large_client_header_buffers", d.Parent, to+" "+d.Joined()+";"
		if block == nil {
			block = c.top
		}
		if sizes || block.First(to) != nil { // delete it: a second one would be refused
			fix = ""
		}
		f := at(r, d, fix, why...)
		if sizes {
			f.Severity = lint.Note
		}
		add(f)
	})
}

func beforeMerge(c *config, r lint.Rule, add func(lint.Finding)) {
	if c.release.AtLeast(1, 19, 7) || !c.release.known("http2_max_requests") {
		return
	}
	for _, p := range c.h2Places() {
		if d := p.rules.find("keepalive_requests"); d != nil && p.rules.find("http2_max_requests") == nil {
			add(in(r, d, "http2_max_requests "+d.Arg(0)+";", facts.T("nginx.before-merge", c.release.String())))
		}
	}
}

// listenHTTP2 has one finding for each server that has HTTP/2 from a listen directive, its own or
// that of another server of the socket.
func listenHTTP2(c *config, r lint.Rule, add func(lint.Finding)) {
	if !c.release.AtLeast(1, 25, 1) {
		return
	}
	withHTTP2 := func(m member) bool { return m.l.has("http2") && m.l.d != nil }
	from := map[*server]*nginxfile.Directive{} // the listen of another server
	for _, k := range c.sockets {
		i := slices.IndexFunc(k.members, withHTTP2)
		for _, m := range k.members {
			if i >= 0 && from[m.s] == nil {
				from[m.s] = k.members[i].l.d
			}
		}
	}
	for _, s := range c.servers {
		own := slices.DeleteFunc(slices.Clone(s.listens), func(l listen) bool { return !withHTTP2(member{s, l}) })
		set := s.find("http2") != nil
		switch {
		case len(own) > 0:
			add(c.forVersion(ownListens(r, own, set)))
		case from[s] != nil && !set:
			add(c.forVersion(in(r, s.d, "http2 on;", facts.T("nginx.http2-of-another", from[s].File, from[s].Line))))
		}
	}
}

// ownListens is the finding of a server with `listen … http2`: at the first of these lines, with `http2
// on;` there, and the others under Also.
func ownListens(r lint.Rule, own []listen, set bool) lint.Finding {
	var f lint.Finding
	for i, l := range own {
		rest := slices.DeleteFunc(slices.Clone(l.d.Args), func(w nginxfile.Word) bool { return w.Text == "http2" })
		fix := "listen"
		for _, w := range rest {
			fix += " " + w.Text
		}
		fix += ";"
		if i == 0 {
			if !set {
				fix += "\nhttp2 on;"
			}
			f = at(r, l.d, fix, facts.T("nginx.warns-at-start"))
			continue
		}
		next := at(r, l.d, fix)
		f.Also, f.Edits = append(f.Also, next.Place()), append(f.Edits, next.Edits...)
		f.Found += "\n" + next.Found
		f.Fix = strings.Replace(f.Fix, "\nhttp2 on;", "", 1) + "\n" + fix
		if !set {
			f.Fix += "\nhttp2 on;"
		}
	}
	return f
}

// forVersion takes away a fix that older releases refuse, unless the files are known to be for a newer one.
func (c *config) forVersion(f lint.Finding) lint.Finding {
	if !c.release.told && !c.usesHTTP2 {
		f.Add(facts.T("nginx.version-for-http2"))
		f.Found, f.Fix, f.Edits = "", "", nil
	}
	return f
}

func http3Limit(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.places {
		n := p.limit.Requests
		if p.k.quic && p.l.d != nil && n != nil && lint.Weigh(*n, c.inFlight) != lint.Note && c.release.AtLeast(1, 25, 0) {
			add(in(r, p.l.d, "", facts.T("nginx.quic", int(*n), facts.Text(p.limit.From))))
		}
	}
}

func noResumption(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.h2Places() {
		tickets, cache := p.s.find("ssl_session_tickets"), p.s.find("ssl_session_cache")
		if p.k.tls && tickets != nil && tickets.Arg(0) == "off" && (cache == nil || !strings.Contains(cache.Joined(), "shared:")) {
			add(in(r, tickets, "ssl_session_cache shared:TLS:10m;", facts.T("nginx.no-resumption")))
		}
	}
}

// renewalsAtOnce is the assumed number of clients that renew together, because a load balancer or a
// reload connected them at the same time.
const renewalsAtOnce = 4

func workerConnections(c *config, r lint.Rule, add func(lint.Finding)) {
	events := c.top.First("events")
	if c.fragment || events == nil {
		return
	}
	d := events.First("worker_connections")
	have := count(d, lint.Requests(512, facts.T("lint.default")))
	if have.Requests == nil || d == nil && absentIn(c.load)[events] { // it may be set there
		return
	}
	limited := slices.ContainsFunc(c.h2Places(), func(p place) bool {
		return p.limit.Requests != nil && lint.Weigh(*p.limit.Requests, c.streams(p.rules)) != lint.Note
	})
	each := int64(c.inFlight)
	if len(c.passes) > 0 {
		each *= 2
	}
	if !limited || *have.Requests >= renewalsAtOnce*each {
		return
	}
	args := []any{int(*have.Requests), facts.Text(have.From), c.inFlight, int(*have.Requests / each)}
	why := facts.T("nginx.workers", args...)
	if len(c.passes) > 0 {
		why = facts.T("nginx.workers-twice", args...)
	}
	fix := fmt.Sprintf("worker_connections %d;", max(4096, 10*renewalsAtOnce*each))
	if d != nil {
		add(at(r, d, fix, why))
	} else {
		add(in(r, events, fix, why))
	}
}

// takesAny are directives that take any number of arguments: nginx prints no error when one takes the next directive.
var takesAny = []string{"server_name", "index", "try_files", "log_format"}

func swallowedDirective(c *config, r lint.Rule, add func(lint.Finding)) {
	c.top.Walk(func(d *nginxfile.Directive) {
		if !slices.Contains(takesAny, d.Name) || !ofServers(d) {
			return
		}
		line := d.Line
		for _, w := range d.Args {
			if w.Line > line && !w.Quoted && swallowed.MatchString(w.Text) {
				f := in(r, d, "", facts.T("nginx.swallowed", d.Name, w.Line, w.Text, line))
				f.Line, f.Column = line, 0
				add(f)
				return
			}
			line = w.Line
		}
	})
}
