package nginxconf

import (
	"fmt"
	"strconv"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// kept is what an upstream block does with idle connections.
type kept struct {
	connections int64 // 0: every request opens a connection
	requests    lint.Limit
	idle        lint.Time
	by          *nginxfile.Directive // nil for a default
}

// kept reads an upstream block. nginx keeps connections by default since 1.29.7 (`keepalive 32
// local`); before, only with a keepalive directive.
func (c *config) kept(u *pool) kept {
	var k kept
	if c.release.AtLeast(1, 29, 7) {
		k.connections = 32
	}
	if k.by = u.d.First("keepalive"); k.by != nil {
		if n, ok := number(k.by.Arg(0)); ok {
			k.connections = n
		}
	}
	k.requests = c.keptRequests(u)
	k.idle = lint.Seconds(60, "default")
	if d := u.d.First("keepalive_timeout"); d != nil {
		k.idle = lint.UnknownTime("it is no time")
		if t, ok := seconds(d.Arg(0), false); ok {
			k.idle = lint.Seconds(t, setAt(d.File, d.Line))
		}
	}
	return k
}

func (c *config) keptRequests(u *pool) lint.Limit {
	d := u.d.First("keepalive_requests")
	if d != nil {
		if n, ok := number(d.Arg(0)); ok {
			return lint.Requests(n, setAt(d.File, d.Line))
		}
		return lint.UnknownLimit("it is no number")
	}
	switch {
	case c.release.AtLeast(1, 19, 10):
		return lint.Requests(1000, "default since 1.19.10")
	case c.release.AtLeast(1, 15, 3):
		return lint.Requests(100, "default before 1.19.10")
	}
	return lint.NoLimit("no such limit before 1.15.3")
}

func (k kept) String() string {
	if k.connections == 0 {
		return "a connection for each request"
	}
	out := fmt.Sprintf("keeps %d", k.connections)
	if k.requests.Requests != nil {
		out += fmt.Sprintf(", %d requests each", *k.requests.Requests)
	}
	if k.idle.Seconds != nil {
		out += fmt.Sprintf(", %s idle", time(*k.idle.Seconds))
	}
	return out
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
	name := "$" + strings.Trim(strings.TrimPrefix(variable, "$"), "{}")
	m := c.maps[name]
	if m == nil || m.Arg(0) != "$http_upgrade" {
		return nil
	}
	if entry := m.First(""); entry != nil {
		return entry
	}
	return m.First("default")
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
		if !isLocal(target) {
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

func isLocal(target string) bool {
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "unix:"} {
		if strings.HasPrefix(target, host) {
			return true
		}
	}
	return false
}

func reaches(target, address string) bool {
	if strings.HasPrefix(target, "unix:") || strings.HasPrefix(address, "unix:") {
		return target == address
	}
	target = canonical(target)
	if port(target) != port(address) {
		return false
	}
	host := strings.TrimSuffix(address, ":"+port(address))
	return host == "*" || host == "[::]" || address == target ||
		host == "127.0.0.1" && strings.HasPrefix(target, "localhost:")
}

// time writes a duration in the syntax of nginx's files.
func time(s float64) string {
	switch n := int64(s); {
	case float64(n) != s:
		return strconv.FormatInt(int64(s*1000), 10) + "ms"
	case n >= 3600 && n%3600 == 0:
		return fmt.Sprintf("%dh", n/3600)
	case n >= 300 && n%60 == 0:
		return fmt.Sprintf("%dm", n/60)
	default:
		return fmt.Sprintf("%ds", n)
	}
}
