package nginxconf

import (
	"fmt"
	"net"
	"path"
	"regexp"
	"strings"

	"h2lab/internal/field/lint"
)

// target is an address that passes name instead of an upstream block.
type target struct {
	address string // as the passes write it: host, host:port or unix:/path
	scheme  string // http, https, grpc or grpcs
	passes  []*pass
}

// targets are the addresses that passes name, in the order of the file.
func (c *config) targets() []*target {
	var out []*target
	known := map[string]*target{}
	for _, p := range c.passes {
		if p.pool != nil || p.target == "" {
			continue
		}
		key := p.scheme + " " + p.target
		t := known[key]
		if t == nil {
			t = &target{address: p.target, scheme: p.scheme}
			known[key] = t
			out = append(out, t)
		}
		t.passes = append(t.passes, p)
	}
	return out
}

func (t *target) unix() bool { return strings.HasPrefix(t.address, "unix:") }

// host is the address without a port.
func (t *target) host() string {
	if host, _, err := net.SplitHostPort(t.address); err == nil {
		return host
	}
	return t.address
}

// server is the address for an upstream block, where no scheme gives it a port.
func (t *target) server() string {
	if t.unix() || t.host() != t.address {
		return t.address
	}
	if strings.HasSuffix(t.scheme, "s") {
		return t.address + ":443"
	}
	return t.address + ":80"
}

// hostHeader is what nginx sends as Host for the address: without a default port (ngx_http_proxy_set_vars).
func (t *target) hostHeader() string {
	if t.unix() {
		return "localhost"
	}
	usual := ":80"
	if strings.HasSuffix(t.scheme, "s") {
		usual = ":443"
	}
	return strings.TrimSuffix(t.address, usual)
}

// label is a name for an upstream block, after the address.
func (t *target) label() string {
	text := t.address
	if t.unix() {
		text = strings.TrimSuffix(path.Base(t.address), ".sock")
	}
	for _, loopback := range []string{"127.0.0.1", "[::1]"} {
		if rest, ok := strings.CutPrefix(text, loopback); ok {
			text = "local" + rest
		}
	}
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = strings.TrimSuffix("to_"+name, "_")
	}
	return name
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// poolName is the name of an upstream block for a target: of one that has exactly this server, else a
// new one after the address that no block has.
func (c *config) poolName(t *target) (name string, exists bool) {
	for _, name := range c.poolOrder {
		servers := c.pools[name].d.All("server")
		if len(servers) == 1 && servers[0].Arg(0) == t.server() {
			return name, true
		}
	}
	base := t.label()
	name = base
	for n := 2; ; n++ {
		owner, taken := c.given[name]
		if _, exists := c.pools[name]; !exists && (!taken || owner == t.scheme+" "+t.address) {
			c.given[name] = t.scheme + " " + t.address
			return name, false
		}
		name = fmt.Sprintf("%s_%d", base, n)
	}
}

// via is a pass through an upstream block, as lines for the reader and as edits. What nginx takes from
// the address of a pass, the Host header and the name in TLS, is set beside it, so that the server
// behind gets the same request as before.
func (c *config) via(p *pass, name string) (string, []lint.Edit) {
	d, t := p.d, &target{address: p.target, scheme: p.scheme}
	address := strings.Replace(d.Arg(0), p.target, name, 1)
	if t.unix() { // unix:/path:/uri
		address = strings.Replace(address, name+":", name, 1)
	}
	s := &surroundings{c: c, p: p, headers: map[string]string{}}
	if !s.hasHeader("Host") {
		s.headers["Host"] = t.hostHeader()
	}
	if d.Name == "proxy_pass" && !c.release.AtLeast(1, 29, 7) {
		s.keep()
	}
	s.addHeaders()
	tls := strings.TrimSuffix(d.Name, "pass") + "ssl_name"
	if strings.HasSuffix(p.scheme, "s") && len(c.inherits(d, tls)) == 0 {
		s.lines = append(s.lines, tls+" "+t.host()+";")
	}
	line := d.Name + " " + address + ";"
	shown, edits := s.done()
	edits = append([]lint.Edit{{Kind: lint.Replace, File: d.File, From: d.From, To: d.To, Text: line, Key: keyOf(d)}},
		edits...)
	return strings.Join(append([]string{line}, shown...), "\n"), edits
}
