package nginxconf

import (
	"fmt"
	"net"
	"path"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// pool is an upstream block.
type pool struct {
	d    *nginxfile.Directive
	name string
}

// pass is a proxy_pass or grpc_pass.
type pass struct {
	d      *nginxfile.Directive
	s      *server
	pool   *pool  // nil when the target is no upstream block
	target string // host, host:port or unix:/path as it is written; "" when it contains a variable
	scheme string // http, https, grpc or grpcs
}

func (c *config) newPass(d *nginxfile.Directive, s *server) *pass {
	p := &pass{d: d, s: s, scheme: "http"}
	if d.Name == "grpc_pass" {
		p.scheme = "grpc"
	}
	host := d.Arg(0)
	if scheme, after, ok := strings.Cut(host, "://"); ok {
		p.scheme, host = strings.ToLower(scheme), after
	}
	if rest, unix := strings.CutPrefix(host, "unix:"); unix {
		rest, _, _ = strings.Cut(rest, ":")
		p.target = "unix:" + rest
		return p
	}
	if host, _, _ = strings.Cut(host, "/"); !strings.Contains(host, "$") {
		p.target, p.pool = host, c.pools[host]
	}
	return p
}

// inherits returns the directives of that name from the block of the pass, or from the nearest block
// above that has one: location, server, http. It returns all of that level and no other, as nginx does
// for directives such as proxy_set_header. In a fragment those beside a server count too.
func (c *config) inherits(at *nginxfile.Directive, name string) []*nginxfile.Directive {
	for up := at.Parent; up != nil; up = up.Parent {
		if all := up.All(name); len(all) > 0 {
			return all
		}
	}
	if c.fragment {
		return c.top.All(name)
	}
	return nil
}

// kept is what an upstream block does with idle connections.
type kept struct {
	connections int64 // 0: every request opens a connection
	requests    lint.Limit
	idle        lint.Time
	by          *nginxfile.Directive // nil for a default
	undone      *nginxfile.Directive // the balancing method that replaces what by has set up
}

// balancing are the directives that choose a server.
var balancing = []string{"least_conn", "least_time", "ip_hash", "hash", "random"}

// method is the directive that chooses a server of a block, nil for round robin.
func (u *pool) method() (last *nginxfile.Directive) {
	for _, d := range u.d.Block {
		if slices.Contains(balancing, d.Name) {
			last = d
		}
	}
	return last
}

// kept reads an upstream block. nginx keeps connections by default since 1.29.7 (`keepalive 32
// local`); before, only with a keepalive directive below the balancing method: above it, the method replaces what keepalive has set
// up, with a warning (measured, 20 requests: 20 connections with 1.22.1, 1 with 1.30.6).
func (c *config) kept(u *pool) kept {
	k := kept{by: u.d.First("keepalive")}
	if c.release.AtLeast(1, 29, 7) {
		k.connections = 32
	}
	if k.by != nil {
		if n, ok := number(k.by.Arg(0)); ok {
			k.connections = n
		}
		if m := u.method(); m != nil && slices.Index(u.d.Block, m) > slices.Index(u.d.Block, k.by) && !c.release.AtLeast(1, 29, 7) {
			k.connections, k.undone = 0, m
		}
	}
	requests := lint.NoLimit(facts.T("lint.no-such-limit-before", "1.15.3"))
	switch {
	case c.release.AtLeast(1, 19, 10):
		requests = lint.Requests(1000, facts.T("lint.default-since", "1.19.10"))
	case c.release.AtLeast(1, 15, 3):
		requests = lint.Requests(100, facts.T("lint.default-before", "1.19.10"))
	}
	k.requests = count(u.d.First("keepalive_requests"), requests)
	k.idle = duration(u.d.First("keepalive_timeout"), lint.Seconds(60, facts.T("lint.default")))
	return k
}

// pooled are the first passes to each upstream block, of a server or, without one, of all.
func (c *config) pooled(of *server) (out []*pass) {
	seen := map[*pool]bool{}
	for _, p := range c.passes {
		if p.pool != nil && !seen[p.pool] && (of == nil || p.s == of) {
			seen[p.pool] = true
			out = append(out, p)
		}
	}
	return out
}

// upstreams describes what ends the connections to the upstream servers.
func (c *config) upstreams(s *server) texts.Sentence {
	var out []facts.Text
	for _, p := range c.pooled(s) {
		out = append(out, facts.T("lint.named", p.pool.name, c.kept(p.pool).text()))
	}
	if len(out) == 0 {
		return texts.Sentence{}
	}
	return texts.Sentence(facts.Join("join.semicolon", out...))
}

func (k kept) text() facts.Text {
	if k.connections == 0 {
		return facts.T("nginx.keeps-none")
	}
	parts := []facts.Text{facts.T("nginx.keeps", int(k.connections))}
	if k.requests.Requests != nil {
		parts = append(parts, facts.T("nginx.requests-each", int(*k.requests.Requests)))
	}
	if k.idle.Seconds != nil {
		parts = append(parts, facts.T("nginx.idle", written(*k.idle.Seconds)))
	}
	return facts.Join("join.comma", parts...)
}

// httpVersion is the HTTP version of a proxy_pass; the default was 1.0 before 1.29.7.
func (c *config) httpVersion(p *pass) (string, *nginxfile.Directive) {
	for _, d := range c.inherits(p.d, "proxy_http_version") {
		return d.Arg(0), d
	}
	if c.release.AtLeast(1, 29, 7) {
		return "1.1", nil
	}
	return "1.0", nil
}

// closing says whether a proxy_pass sends `Connection: close`, and what makes it do so.
type closing struct {
	is     bool
	header *nginxfile.Directive // the proxy_set_header; nil for nginx's default before 1.29.7
	entry  *nginxfile.Directive // the entry of a map that gives the header this value
}

// closes reads the Connection header of a proxy_pass. A variable is followed to a map of $http_upgrade,
// which is empty for ordinary requests.
func (c *config) closes(p *pass) closing {
	for _, d := range c.inherits(p.d, "proxy_set_header") {
		if !strings.EqualFold(d.Arg(0), "Connection") {
			continue
		}
		entry := c.ordinary(d.Arg(1))
		return closing{strings.EqualFold(d.Arg(1), "close") || entry != nil && strings.EqualFold(entry.Arg(0), "close"),
			d, entry}
	}
	return closing{is: !c.release.AtLeast(1, 29, 7)}
}

// ordinary is the entry of a map that gives a variable its value in requests that ask for no upgrade;
// nil when the files don't say.
func (c *config) ordinary(variable string) *nginxfile.Directive {
	m := c.maps["$"+strings.Trim(strings.TrimPrefix(variable, "$"), "{}")]
	if m == nil || m.Arg(0) != "$http_upgrade" {
		return nil
	}
	if entry := m.First(""); entry != nil {
		return entry
	}
	return m.First("default")
}

// closedBefore are the upstream blocks whose connections are kept by the newest release, which was
// assumed, and not by those before 1.29.7, which most machines have.
func (c *config) closedBefore() []string {
	if c.release.told || !c.release.AtLeast(1, 29, 7) {
		return nil
	}
	older := *c
	older.release.Version = version("1.28.0")
	var out []string
	seen := map[string]bool{}
	for _, p := range c.passes {
		if p.pool == nil || p.d.Name != "proxy_pass" || seen[p.pool.name] || c.closes(p).is || c.kept(p.pool).connections == 0 {
			continue
		}
		version, _ := older.httpVersion(p)
		if version == "1.0" || older.closes(p).is || older.kept(p.pool).connections == 0 {
			seen[p.pool.name] = true
			out = append(out, p.pool.name)
		}
	}
	return out
}

// behind returns the places of this same configuration that the pass, or its pool's servers, lead to.
func (c *config) behind(p *pass) []place {
	targets := []string{p.target}
	if p.pool != nil {
		targets = nil
		for _, d := range p.pool.d.All("server") {
			targets = append(targets, d.Arg(0))
		}
	}
	var out []place
	for _, target := range targets {
		if !local.MatchString(target) {
			continue
		}
		for _, at := range c.byPort[port(canonical(target))] {
			if reaches(target, at.l.address) {
				out = append(out, at)
				break // one server of a socket is enough
			}
		}
	}
	return out
}

var local = regexp.MustCompile(`^(127\.0\.0\.1|localhost|\[::1\]|unix:)`)

func reaches(target, address string) bool {
	if strings.HasPrefix(target, "unix:") || strings.HasPrefix(address, "unix:") {
		return target == address
	}
	target = canonical(target)
	if port(target) != port(address) {
		return false
	}
	host := strings.TrimSuffix(address, ":"+port(address))
	return host == "*" || host == "[::]" || address == target || host == "127.0.0.1" && strings.HasPrefix(target, "localhost:")
}

// unpooled groups the passes that name an address instead of an upstream block, in the order of the file.
func (c *config) unpooled() [][]*pass {
	var out [][]*pass
	known := map[string]int{}
	for _, p := range c.passes {
		if p.pool != nil || p.target == "" {
			continue
		}
		key := p.scheme + " " + p.target
		if _, is := known[key]; !is {
			known[key] = len(out)
			out = append(out, nil)
		}
		out[known[key]] = append(out[known[key]], p)
	}
	return out
}

func (p *pass) unix() bool { return strings.HasPrefix(p.target, "unix:") }

// defaultPort is that of the scheme.
func (p *pass) defaultPort() string {
	if strings.HasSuffix(p.scheme, "s") {
		return ":443"
	}
	return ":80"
}

// host is the target without a port.
func (p *pass) host() string {
	if host, _, err := net.SplitHostPort(p.target); err == nil {
		return host
	}
	return p.target
}

// server is the target for an upstream block, where no scheme gives it a port.
func (p *pass) server() string {
	if p.unix() || p.host() != p.target {
		return p.target
	}
	return p.target + p.defaultPort()
}

// poolName is the name of an upstream block for a target: of one that has exactly this server, else a
// new one after the address that no block has.
func (c *config) poolName(p *pass) (name string, exists bool) {
	for _, name := range c.poolOrder {
		servers := c.pools[name].d.All("server")
		if len(servers) == 1 && servers[0].Arg(0) == p.server() {
			return name, true
		}
	}
	base := p.label()
	name = base
	for n := 2; ; n++ {
		owner, taken := c.given[name]
		if _, exists := c.pools[name]; !exists && (!taken || owner == p.scheme+" "+p.target) {
			c.given[name] = p.scheme + " " + p.target
			return name, false
		}
		name = fmt.Sprintf("%s_%d", base, n)
	}
}

// label is a name for an upstream block, after the address.
func (p *pass) label() string {
	text := p.target
	if p.unix() {
		text = strings.TrimSuffix(path.Base(p.target), ".sock")
	}
	text = loopback.ReplaceAllString(strings.ToLower(text), "local")
	name := strings.Trim(notInNames.ReplaceAllString(text, "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = strings.TrimSuffix("to_"+name, "_")
	}
	return name
}

var (
	loopback   = regexp.MustCompile(`^(127\.0\.0\.1|\[::1\])`)
	notInNames = regexp.MustCompile(`[^a-z0-9]+`)
)

// change collects the directives to set in the block of a pass.
type change struct {
	c                *config
	p                *pass
	host, connection string   // headers to set
	lines            []string // lines to add to the block
	shown            []string // what else the reader is to change
	edits            []lint.Edit
}

// via is a pass through an upstream block, as lines for the reader and as edits. What nginx takes from
// the address of a pass, the Host header and the name in TLS, is set beside it, so that the server
// behind gets the same request as before.
func (c *config) via(p *pass, name string) (string, []lint.Edit) {
	d := p.d
	address := strings.Replace(d.Arg(0), p.target, name, 1)
	if p.unix() { // unix:/path:/uri
		address = strings.Replace(address, name+":", name, 1)
	}
	s := &change{c: c, p: p}
	if !s.hasHeader("Host") {
		s.host = strings.TrimSuffix(p.target, p.defaultPort()) // as ngx_http_proxy_set_vars does
		if p.unix() {
			s.host = "localhost"
		}
	}
	if d.Name == "proxy_pass" && !c.release.AtLeast(1, 29, 7) {
		s.keep()
	}
	s.addHeaders()
	tls := strings.TrimSuffix(d.Name, "pass") + "ssl_name"
	if strings.HasSuffix(p.scheme, "s") && len(c.inherits(d, tls)) == 0 {
		s.lines = append(s.lines, tls+" "+p.host()+";")
	}
	line := d.Name + " " + address + ";"
	shown, edits := s.done()
	return strings.Join(append([]string{line}, shown...), "\n"), append([]lint.Edit{replaced(d, line)}, edits...)
}

// block is the block of a pass that takes settings of proxies: an `if` or limit_except doesn't.
func (s *change) block() *nginxfile.Directive {
	up := s.p.d.Parent
	for up != nil && (up.Name == "if" || up.Name == "limit_except") {
		up = up.Parent
	}
	return up
}

func (s *change) directive() string { return strings.TrimSuffix(s.p.d.Name, "pass") + "set_header" }

func (s *change) hasHeader(name string) bool {
	for _, h := range s.c.inherits(s.p.d, s.directive()) {
		if strings.EqualFold(h.Arg(0), name) {
			return true
		}
	}
	return false
}

// keep makes the pass speak HTTP/1.1 and leave connections open.
func (s *change) keep() {
	switch version, by := s.c.httpVersion(s.p); {
	case version != "1.0":
	case by != nil && by.Parent == s.block():
		s.replace(by, "proxy_http_version 1.1;")
	default:
		s.lines = append(s.lines, "proxy_http_version 1.1;")
	}
	closes := s.c.closes(s.p)
	switch {
	case !closes.is:
	case closes.entry != nil:
		name := closes.entry.Name
		if name == "" {
			name = "''"
		}
		s.replace(closes.entry, name+" '';")
	case closes.header != nil && closes.header.Parent == s.block():
		s.replace(closes.header, `proxy_set_header Connection "";`)
	default:
		s.connection = `""`
	}
}

func (s *change) replace(d *nginxfile.Directive, line string) {
	s.shown = append(s.shown, fmt.Sprintf("%s   # instead of %s in line %d", line, d.Text(), d.Line))
	s.edits = append(s.edits, replaced(d, line))
}

// addHeaders turns headers into lines. The first header of a block drops those of the blocks above
// (ngx_http_proxy_merge_loc_conf), so these are repeated, unless they set the same.
func (s *change) addHeaders() {
	if s.host == "" && s.connection == "" {
		return
	}
	block, name := s.block(), s.directive()
	if block == nil || block.First(name) == nil {
		for _, h := range s.c.inherits(s.p.d, name) {
			if s.connection == "" || !strings.EqualFold(h.Arg(0), "Connection") {
				s.lines = append(s.lines, h.Whole())
			}
		}
	}
	if s.host != "" {
		s.lines = append(s.lines, name+" Host "+s.host+";")
	}
	if s.connection != "" {
		s.lines = append(s.lines, name+" Connection "+s.connection+";")
	}
}

// done returns what the reader is to write beside the pass, and the edits.
func (s *change) done() ([]string, []lint.Edit) {
	at := s.p.d
	if block := s.block(); block != nil && block != s.p.d.Parent {
		at = block
	}
	edits := append(added(at, strings.Join(s.lines, "\n")), s.edits...)
	return append(s.lines, s.shown...), edits
}
