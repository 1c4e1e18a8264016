package nginxconf

import (
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
)

// unknownAddress is that of a server whose listen directives are in an include that isn't there.
const unknownAddress = "?"

// listen is one listen directive, or nginx's default when a server has none.
type listen struct {
	d       *nginxfile.Directive // nil for the default
	address string
	flags   []string
}

func (l listen) has(flag string) bool { return slices.Contains(l.flags, flag) }

// readListen parses a listen directive. Without an address nginx listens on *:80 (*:8000 when it isn't
// root, ngx_http_core_server).
func readListen(d *nginxfile.Directive) listen {
	l := listen{d: d, address: canonical(d.Arg(0))}
	for _, w := range d.Args[min(1, len(d.Args)):] {
		l.flags = append(l.flags, w.Text)
	}
	return l
}

// parameters are what nginx's own listen takes, without a value or before `=`.
var parameters = map[string]bool{"default_server": true, "default": true, "ssl": true, "http2": true, "quic": true,
	"spdy": true, "proxy_protocol": true, "setfib": true, "fastopen": true, "backlog": true, "rcvbuf": true,
	"sndbuf": true, "accept_filter": true, "deferred": true, "bind": true, "ipv6only": true, "reuseport": true,
	"so_keepalive": true, "multipath": true, "udp": true}

// foreign is a parameter of a module or of another build, such as Tengine's xquic; "" when there is none.
func (l listen) foreign() string {
	for _, flag := range l.flags {
		if name, _, _ := strings.Cut(flag, "="); !parameters[name] {
			return flag
		}
	}
	return ""
}

// canonical gives different spellings of one socket the same name: "443" and "*:443".
func canonical(address string) string {
	switch {
	case strings.HasPrefix(address, "unix:"):
		return address
	case strings.HasPrefix(address, "0.0.0.0:"):
		return "*" + strings.TrimPrefix(address, "0.0.0.0")
	}
	if isPort(address) {
		return "*:" + address
	}
	if strings.HasSuffix(address, "]") || !strings.Contains(address, ":") { // [::1], 127.0.0.1, a name
		return address + ":80"
	}
	return address
}

// isPort also accepts a port range, which nginx supports since 1.15.10.
func isPort(s string) bool {
	return s != "" && strings.Trim(s, "0123456789-") == ""
}

// port is the last part of a canonical address.
func port(address string) string {
	return address[strings.LastIndex(address, ":")+1:]
}

// socket is one listening socket. An option that one server sets applies to all servers of the socket
// (ngx_http_add_addresses).
type socket struct {
	address    string
	tls, http2 bool
	quic       bool
	unknown    bool // whether it speaks what nginx's own modules don't
	members    []member
	chosen     *server // the server for clients that ask for no configured name
}

type member struct {
	s *server
	l listen
}

// sockets groups the listen directives by socket, in the order of the file. A UDP socket for QUIC is
// separate from the TCP socket of the same port.
func (c *config) sockets() []*socket {
	var out []*socket
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
				out = append(out, k)
			}
			k.tls = k.tls || l.has("ssl") || s.oldSSL(c.release)
			k.http2 = k.http2 || l.has("http2")
			k.unknown = k.unknown || l.address == unknownAddress || l.foreign() != ""
			if l.has("default_server") || l.has("default") {
				k.chosen = s
			}
			k.members = append(k.members, member{s, l})
		}
	}
	return out
}

// oldSSL reports `ssl on;`, which 1.25.1 removed.
func (s *server) oldSSL(r release) bool {
	v, ok := s.find("ssl")
	return ok && v.d.Arg(0) == "on" && !r.AtLeast(1, 25, 1)
}

// http2On reports the http2 directive of 1.25.1, in the server or in the http block.
func (s *server) http2On(r release) bool {
	v, ok := s.find("http2")
	return ok && strings.EqualFold(v.d.Arg(0), "on") && r.known("http2")
}

// protocols are those that connections to this server through this socket may use.
func (c *config) protocols(k *socket, s *server) []string {
	h2 := k.http2 || s.http2On(c.release)
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

// isH2 reports whether the protocols include HTTP/2, over TLS or in cleartext.
func isH2(protocols []string) bool {
	return slices.Contains(protocols, "h2") || slices.Contains(protocols, "h2c")
}
