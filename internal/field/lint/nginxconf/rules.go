package nginxconf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/text"
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
		if line := change.Line.String(); fix == "" && strings.HasPrefix(line, c.countName(true)+" ") {
			fix = line
		}
	}
	if g.by != nil {
		return at(r, g.by, fix, why...)
	}
	return in(r, g.block, fix, why...)
}

// idleLine is the idle timeout that every field tool offers for nginx.
var idleLine = cure.Idle(cure.Nginx)[0].Line.String()

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
			f := at(r, d, cure.Age(cure.Nginx)[0].Line.String(), facts.T("nginx.age", written(*age)))
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
	withHTTP2 := func(l listen) bool { return l.has("http2") && l.d != nil }
	from := map[*server]*nginxfile.Directive{} // the listen of another server
	for _, k := range c.sockets {
		i := slices.IndexFunc(k.members, func(p *place) bool { return withHTTP2(p.l) })
		for _, p := range k.members {
			if i >= 0 && from[p.s] == nil {
				from[p.s] = k.members[i].l.d
			}
		}
	}
	for _, s := range c.servers {
		own := slices.DeleteFunc(slices.Clone(s.listens), func(l listen) bool { return !withHTTP2(l) })
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

func upstreamNotKept(c *config, r lint.Rule, add func(lint.Finding)) {
	for _, p := range c.pooled(nil) {
		switch k := c.kept(p.pool); {
		case k.connections != 0:
		case k.undone != nil:
			f := at(r, k.by, "", facts.T("nginx.method-below", k.undone.Name, c.release.String()))
			f.Fix = k.undone.Whole() + "\n" + k.by.Whole()
			f.Edits = append(f.Edits, added(k.undone, k.by.Whole())...)
			add(f)
		case k.by == nil:
			beside := p.pool.d
			if m := p.pool.method(); m != nil { // keepalive must stand below it
				beside = m
			}
			add(in(r, beside, "keepalive 32;", facts.T("nginx.not-kept", c.release.String(), fmt.Sprintf("%q", p.pool.name))))
		case k.by.Arg(0) == "0" && c.release.AtLeast(1, 29, 7): // older releases reject it
			add(at(r, k.by, "keepalive 32;", facts.T("nginx.cache-off")))
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
	for _, p := range c.pooled(nil) {
		k := c.kept(p.pool)
		if k.connections != 0 && k.requests.Requests != nil && *k.requests.Requests <= 100 {
			add(c.poolLine(r, p.pool, "keepalive_requests", "1000",
				facts.T("nginx.upstream-low", fmt.Sprintf("%q", p.pool.name), int(*k.requests.Requests), facts.Text(k.requests.From))))
		}
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

// stock are files of nginx's packages, of Debian's and of the official image, by their last part: none
// of them sets a limit. types.d/mime.types and the like, and the default type files of other builds, are stock too.
var stock = regexp.MustCompile(`(?:^|[/\\])(?:[^/\\]*mime\.types|fastcgi_params(?:\.default)?|fastcgi(?:-php)?\.conf|uwsgi_params|` +
	`scgi_params|proxy_params|snakeoil\.conf|koi-utf|koi-win|win-utf)$`)

func notStock(m nginxfile.Missing) bool { return !stock.MatchString(m.Path) }

// absentIn are the blocks that have an include of an absent file.
func absentIn(l *nginxfile.Tree) map[*nginxfile.Directive]bool {
	out := map[*nginxfile.Directive]bool{}
	for _, m := range l.Absent {
		out[m.At.Parent] = out[m.At.Parent] || notStock(m)
	}
	return out
}

// includeAbsent has one finding for each file with includes of absent files.
func includeAbsent(c *config, r lint.Rule, add func(lint.Finding)) {
	var list []*nginxfile.Directive
	names := map[*nginxfile.Directive][]string{}
	for _, m := range c.load.Absent {
		if notStock(m) && !loadsModules(m.At) {
			name := text.ClipLine(m.Path, lint.LongestLine)
			if m.Link != "" {
				name += " → " + text.ClipLine(m.Link, lint.LongestLine)
			}
			list, names[m.At] = append(list, m.At), append(names[m.At], name)
		}
	}
	byFile(r, list, names, func(all facts.Text) facts.Text { return facts.T("nginx.absent", all) }, add)
}

// oneCharacter is a class such as [.], which turns a name into a pattern, so that nginx starts without
// the file.
var oneCharacter = regexp.MustCompile(`\[[^\]*?]\]`)

// includeNothing has one finding for each file with patterns that match nothing, where the files may set what the report
// is about: in http, and outside of all blocks.
func includeNothing(c *config, r lint.Rule, add func(lint.Finding)) {
	var list []*nginxfile.Directive
	names := map[*nginxfile.Directive][]string{}
	for _, d := range c.load.Nothing {
		if (c.inHTTP(d) || d.Parent == nil && !loadsModules(d)) &&
			strings.ContainsAny(oneCharacter.ReplaceAllString(d.Arg(0), ""), "*?[") {
			list, names[d] = append(list, d), []string{text.ClipLine(d.Arg(0), lint.LongestWord)}
		}
	}
	byFile(r, list, names, func(all facts.Text) facts.Text { return facts.T("nginx.matches-nothing", all) }, add)
}

// loadsModules reports an include of load_module lines, as Debian has them (modules-enabled).
func loadsModules(d *nginxfile.Directive) bool {
	return d.Parent == nil && strings.Contains(d.Arg(0), "modules")
}

// byFile makes one finding of the includes of a file: at the first, with the others under Also.
func byFile(r lint.Rule, list []*nginxfile.Directive, names map[*nginxfile.Directive][]string, why func(facts.Text) facts.Text,
	add func(lint.Finding)) {
	for len(list) > 0 {
		first := list[0]
		f := in(r, first, "")
		var all []string
		list = slices.DeleteFunc(list, func(d *nginxfile.Directive) bool {
			if d.File != first.File {
				return false
			}
			for _, name := range names[d] {
				if !slices.Contains(all, name) {
					all = append(all, name)
				}
			}
			if at := (lint.Place{File: d.File, Line: d.Line}); d != first && !slices.Contains(f.Also, at) {
				f.Also = append(f.Also, at)
			}
			return true
		})
		f.Add(why(enumerated(all)))
		add(f)
	}
}
