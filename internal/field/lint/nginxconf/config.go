package nginxconf

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// config is the part of a configuration that the rules check.
type config struct {
	release   release
	inFlight  int
	top       *nginxfile.Directive               // a block around the whole file
	fragment  bool                               // the file is meant to be included in an http block
	installed bool                               // the main file is the one that nginx reads on this machine, or its own dump
	within    map[*nginxfile.Directive][]*server // of a server block, and of an http block
	servers   []*server
	pools     map[string]*pool
	poolOrder []string                        // the names of pools in the order of the file
	given     map[string]string               // the names of new pools, with the target of each
	maps      map[string]*nginxfile.Directive // the map that sets a variable, by its name with the $
	passes    []*pass
	load      *nginxfile.Tree
	places    []place
	byPort    map[string][]place // of TCP sockets only
	// usesHTTP2 says that a file has the directive http2, so that it is for 1.25.1 or later.
	usesHTTP2 bool
}

// server is a server block of the http block.
type server struct {
	d, http *nginxfile.Directive
	listens []listen
}

// place is one server on one socket: one line of the report.
type place struct {
	k *socket
	s *server
	// rules is the server whose settings apply to a connection: the one chosen by SNI, and without TLS
	// the socket's default server. The Host header doesn't change it (ngx_http_set_virtual_server
	// changes the settings of the request only).
	rules     *server
	l         listen
	protocols []string
	limit     lint.Limit
	limitBy   *nginxfile.Directive // nil for a default
	once      *nginxfile.Directive // a keepalive_timeout of 0, which ends a connection at its first request
}

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
	target string // host and port; "" when it contains a variable
	scheme string // http, https, grpc or grpcs
}

// build finds the servers, upstreams and passes of a tree.
func build(l *nginxfile.Tree, r release, inFlight int) *config {
	top := l.Top
	c := &config{
		release:  r,
		inFlight: inFlight,
		top:      &nginxfile.Directive{Block: top, HasBlock: true},
		load:     l,
		pools:    map[string]*pool{},
		given:    map[string]string{},
		within:   map[*nginxfile.Directive][]*server{},
		maps:     map[string]*nginxfile.Directive{},
		byPort:   map[string][]place{},
	}
	blocks := c.top.All("http")
	if nginxfile.IsFragment(top) {
		c.fragment = true
		blocks = []*nginxfile.Directive{c.top}
	}
	absent := absentIn(l)
	for _, http := range blocks {
		for _, d := range http.All("upstream") {
			c.pools[d.Arg(0)] = &pool{d, d.Arg(0)}
			c.poolOrder = append(c.poolOrder, d.Arg(0))
		}
		for _, d := range http.All("map") {
			c.maps[d.Arg(1)] = d
		}
		for _, d := range http.All("server") {
			s := newServer(d, http, absent)
			c.servers = append(c.servers, s)
			c.within[d], c.within[http] = []*server{s}, append(c.within[http], s)
		}
	}
	c.top.Walk(func(d *nginxfile.Directive) { c.usesHTTP2 = c.usesHTTP2 || d.Name == "http2" && len(d.Args) == 1 })
	for _, s := range c.servers {
		s.d.Walk(func(d *nginxfile.Directive) {
			if (d.Name == "proxy_pass" || d.Name == "grpc_pass") && len(d.Args) > 0 {
				c.passes = append(c.passes, c.newPass(d, s))
			}
		})
	}
	c.place()
	return c
}

// place lists each server on each of its sockets.
func (c *config) place() {
	for _, k := range c.sockets() {
		for _, m := range k.members {
			p := place{k: k, s: m.s, rules: m.s, l: m.l}
			if !k.tls {
				p.protocols = c.protocols(k, k.chosen)
			} else {
				p.protocols = c.protocols(k, m.s)
			}
			if slices.Contains(p.protocols, "h2c") {
				p.rules = k.chosen
			}
			p.limit, p.limitBy = c.limit(p.rules, isH2(p.protocols))
			if p.once = c.once(p.rules); p.once != nil && isH2(p.protocols) {
				p.limit = lint.Requests(1, fmt.Sprintf("keepalive_timeout 0, set at %s:%d", p.once.File, p.once.Line))
			}
			c.places = append(c.places, p)
			if !k.quic {
				c.byPort[port(k.address)] = append(c.byPort[port(k.address)], p)
			}
		}
	}
}

func newServer(d, http *nginxfile.Directive, absent map[*nginxfile.Directive]bool) *server {
	s := &server{d: d, http: http}
	for _, l := range d.All("listen") {
		if len(l.Args) > 0 {
			s.listens = append(s.listens, readListen(l))
		}
	}
	switch {
	case len(s.listens) > 0:
	case absent[d]:
		s.listens = []listen{{address: unknownAddress}}
	default:
		s.listens = []listen{{address: "*:80"}}
	}
	return s
}

// name is the first server_name, for the report.
func (s *server) name() string {
	if d := s.d.First("server_name"); d != nil {
		return d.Arg(0)
	}
	return ""
}

func (c *config) newPass(d *nginxfile.Directive, s *server) *pass {
	p := &pass{d: d, s: s}
	host := d.Arg(0)
	p.scheme = strings.TrimSuffix(d.Name, "_pass")
	if p.scheme == "proxy" {
		p.scheme = "http"
	}
	if scheme, after, ok := strings.Cut(host, "://"); ok {
		p.scheme, host = strings.ToLower(scheme), after
	}
	if strings.HasPrefix(host, "unix:") {
		p.target, _, _ = strings.Cut(strings.TrimPrefix(host, "unix:"), ":")
		p.target = "unix:" + p.target
		return p
	}
	host, _, _ = strings.Cut(host, "/")
	if strings.Contains(host, "$") {
		return p
	}
	p.target = host
	p.pool = c.pools[host]
	return p
}

// inherited returns the directives of that name from the block of the pass, or from the nearest block
// above that has one: location, server, http. It returns all of that level and no other, as nginx does
// for directives such as proxy_set_header.
func inherited(at *nginxfile.Directive, name string) []*nginxfile.Directive {
	for up := at.Parent; up != nil; up = up.Parent {
		if all := up.All(name); len(all) > 0 {
			return all
		}
	}
	return nil
}

// inherits is inherited, plus the directives beside a server in a fragment.
func (c *config) inherits(at *nginxfile.Directive, name string) []*nginxfile.Directive {
	if all := inherited(at, name); len(all) > 0 || !c.fragment {
		return all
	}
	return c.top.All(name)
}

// h2Places returns the places that accept HTTP/2.
func (c *config) h2Places() []place {
	var out []place
	for _, p := range c.places {
		if isH2(p.protocols) {
			out = append(out, p)
		}
	}
	return out
}
