package nginxconf

import (
	"cmp"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// config is the part of a configuration that the rules check.
type config struct {
	release   release
	inFlight  int
	top       *nginxfile.Directive // a block around the whole file
	fragment  bool                 // the file is meant to be included in an http block
	servers   []*server
	pools     map[string]*pool
	poolOrder []string                        // the names of pools in the order of the file
	given     map[string]string               // the names of new pools, with the target of each
	maps      map[string]*nginxfile.Directive // the map that sets a variable, by its name with the $
	passes    []*pass
	load      *nginxfile.Tree
	sockets   []*socket
	places    []place
	byPort    map[string][]place // of TCP sockets only
	usesHTTP2 bool               // a file has the directive http2, so it is for 1.25.1 or later
}

// server is a server block of the http block.
type server struct {
	d, http *nginxfile.Directive
	listens []listen
}

// listen is one listen directive, or nginx's default when a server has none.
type listen struct {
	d       *nginxfile.Directive // nil for the default
	address string
	flags   []string
}

// socket is one listening socket. An option that one server sets applies to all servers of the socket
// (ngx_http_add_addresses).
type socket struct {
	address          string
	tls, http2, quic bool
	unknown          bool // whether it speaks what nginx's own modules don't
	members          []*place
	chosen           *server // the server for clients that ask for no configured name
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

// h2 reports whether the place accepts HTTP/2.
func (p place) h2() bool { return lint.HTTP2(p.protocols) }

// build finds the servers, upstreams and passes of a tree.
func build(l *nginxfile.Tree, r release, inFlight int) *config {
	c := &config{
		release:  r,
		inFlight: inFlight,
		top:      &nginxfile.Directive{Block: l.Top, HasBlock: true},
		load:     l,
		pools:    map[string]*pool{},
		given:    map[string]string{},
		maps:     map[string]*nginxfile.Directive{},
		byPort:   map[string][]place{},
	}
	blocks := c.top.All("http")
	if nginxfile.IsFragment(l.Top) {
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
			c.servers = append(c.servers, newServer(d, http, absent))
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
	c.listen()
	for _, k := range c.sockets {
		for _, p := range k.members {
			c.speak(p)
			c.places = append(c.places, *p)
			if !k.quic {
				c.byPort[port(k.address)] = append(c.byPort[port(k.address)], *p)
			}
		}
	}
	return c
}

// unknownAddress is that of a server whose listen directives are in an include that isn't there.
const unknownAddress = "?"

// newServer reads a server block. Without a listen nginx listens on *:80 (*:8000 when it isn't root,
// ngx_http_core_server).
func newServer(d, http *nginxfile.Directive, absent map[*nginxfile.Directive]bool) *server {
	s := &server{d: d, http: http}
	for _, by := range d.All("listen") {
		if len(by.Args) == 0 {
			continue
		}
		l := listen{d: by, address: canonical(by.Arg(0))}
		for _, w := range by.Args[1:] {
			l.flags = append(l.flags, w.Text)
		}
		s.listens = append(s.listens, l)
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

func (l listen) has(flag string) bool { return slices.Contains(l.flags, flag) }

// parameters are what nginx's own listen takes, without a value or before `=`.
var parameters = strings.Fields("default_server default ssl http2 quic spdy proxy_protocol setfib fastopen backlog rcvbuf " +
	"sndbuf accept_filter deferred bind ipv6only reuseport so_keepalive multipath udp")

// foreign reports a parameter of a module or of another build, such as Tengine's xquic.
func (l listen) foreign() bool {
	return slices.ContainsFunc(l.flags, func(flag string) bool {
		name, _, _ := strings.Cut(flag, "=")
		return !slices.Contains(parameters, name)
	})
}

// canonical gives different spellings of one socket the same name: "443" and "*:443".
func canonical(address string) string {
	switch {
	case strings.HasPrefix(address, "unix:"):
		return address
	case strings.HasPrefix(address, "0.0.0.0:"):
		return "*" + strings.TrimPrefix(address, "0.0.0.0")
	case address != "" && strings.Trim(address, "0123456789-") == "": // a port, or a range since 1.15.10
		return "*:" + address
	case strings.HasSuffix(address, "]") || !strings.Contains(address, ":"): // [::1], 127.0.0.1, a name
		return address + ":80"
	}
	return address
}

// port is the last part of a canonical address.
func port(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// listen groups the listen directives by socket, in the order of the file. A UDP socket for QUIC is
// separate from the TCP socket of the same port.
func (c *config) listen() {
	by := map[string]*socket{}
	for _, s := range c.servers {
		for _, l := range s.listens {
			key := l.address
			if l.has("quic") {
				key += " quic"
			}
			k := by[key]
			if k == nil {
				k = &socket{address: l.address, quic: l.has("quic"), chosen: s}
				by[key] = k
				c.sockets = append(c.sockets, k)
			}
			k.tls = k.tls || l.has("ssl") || c.oldSSL(s)
			k.http2 = k.http2 || l.has("http2")
			k.unknown = k.unknown || l.address == unknownAddress || l.foreign()
			if l.has("default_server") || l.has("default") {
				k.chosen = s
			}
			k.members = append(k.members, &place{k: k, s: s, rules: s, l: l})
		}
	}
}

// oldSSL reports `ssl on;`, which 1.25.1 removed.
func (c *config) oldSSL(s *server) bool {
	d := s.find("ssl")
	return d != nil && d.Arg(0) == "on" && !c.release.AtLeast(1, 25, 1)
}

// speak finds the protocols of a place and the limit in effect.
func (c *config) speak(p *place) {
	p.protocols = c.protocols(p.k, p.k.chosen)
	if p.k.tls {
		p.protocols = c.protocols(p.k, p.s)
	}
	if slices.Contains(p.protocols, "h2c") {
		p.rules = p.k.chosen
	}
	p.limit, p.limitBy = c.limit(p.rules, p.h2())
	if p.once = c.once(p.rules); p.once != nil && p.h2() {
		p.limit = lint.Requests(1, facts.T("nginx.timeout-0", lint.SetAt(p.once.File, p.once.Line)))
	}
}

// protocols are those that connections to this server through this socket may use.
func (c *config) protocols(k *socket, s *server) []string {
	on := s.find("http2")
	h2 := k.http2 || on != nil && strings.EqualFold(on.Arg(0), "on") && c.release.known("http2")
	switch {
	case k.unknown:
		return []string{"?"}
	case k.quic:
		return []string{"h3"}
	case k.tls && h2:
		return []string{"http/1.1", "h2"}
	case h2 && c.release.AtLeast(1, 25, 1): // nginx distinguishes them by the preface
		return []string{"http/1.1", "h2c"}
	case h2:
		return []string{"h2c"}
	}
	return []string{"http/1.1"}
}

// h2Places returns the places that accept HTTP/2.
func (c *config) h2Places() []place {
	return slices.DeleteFunc(slices.Clone(c.places), func(p place) bool { return !p.h2() })
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
		g := known[cmp.Or(p.limitBy, block)]
		if g == nil {
			g = &group{by: p.limitBy, block: block}
			known[cmp.Or(p.limitBy, block)], out = g, append(out, g)
		}
		g.places = append(g.places, p)
	}
	return out
}
