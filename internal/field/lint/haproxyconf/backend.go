package haproxyconf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// nginxLimit is the most common limit of a server: the default of nginx's keepalive_requests since
// 1.19.10.
const nginxLimit = 1000

// backend checks the connections to servers.
func (j *judge) backend(s *section) {
	h2 := false
	for _, sv := range s.servers() {
		j.pool(sv)
		if sv.speaksH2() {
			h2 = true
			j.goaway(s, sv)
		}
	}
	if !h2 {
		return
	}
	if l, set := s.last("http-reuse"); set && l.text(1) == "never" {
		f := j.find(reuseNever, l, "Each client of %s has connections of its own to the servers.", s.name)
		f.Found, f.Fix = l.source(), "http-reuse safe"
	}
}

// goaway checks for settings that keep requests off a connection that is about to end.
func (j *judge) goaway(s *section, sv server) {
	reuse, set := sv.params["max-reuse"]
	n, err := strconv.Atoi(reuse.value)
	switch {
	case set && err != nil, set && n == 0: // a variable, or a 0, which pool reports
		return
	case set && n >= nginxLimit-1:
		f := j.find(reuseHigh, reuse.in, "max-reuse %d lets %d requests go over a connection, which is not below "+
			"nginx's default of %d.", n, n+1, nginxLimit)
		f.Found = reuse.in.source()
		f.Fix = strings.Replace(f.Found, "max-reuse "+reuse.value, "max-reuse 900", 1)
	case !set || n < 0:
		why := fmt.Sprintf("Server %s speaks HTTP/2 and has no max-reuse: where it is nginx, its GOAWAY refuses "+
			"requests that HAProxy had sent.", sv.name)
		if l, on := s.last("retry-on"); on && retries(l) {
			why += " retry-on sends most of them again, not all."
		}
		f := j.find(upstreamGoaway, sv.in, "%s", why)
		if f.Found = sv.in.source(); f.Found != "" {
			f.Fix = code(f.Found) + " max-reuse 900"
		}
	}
}

// code strips a trailing comment from a line: an argument appended after it would become part of the
// comment.
func code(source string) string {
	if i := strings.Index(source, " #"); i > 0 {
		return strings.TrimSpace(source[:i])
	}
	return source
}

// retries reports whether a retry-on covers a connection that ended without an answer.
func retries(l line) bool {
	return slices.ContainsFunc(l.words[1:], func(w word) bool {
		return w.text == "empty-response" || w.text == "all-retryable-errors"
	})
}

func (j *judge) pool(sv server) {
	for _, name := range []string{"pool-max-conn", "max-reuse"} {
		p, set := sv.params[name]
		n, err := strconv.Atoi(p.value)
		switch {
		case !set || err != nil || n < 0:
		case n == 0:
			f := j.find(poolEmpty, p.in, "%s 0 of server %s: every request dials.", name, sv.name)
			f.Found = p.in.source()
			f.Fix = strings.Replace(f.Found, name+" 0", map[string]string{"pool-max-conn": "pool-max-conn -1",
				"max-reuse": "max-reuse 900"}[name], 1)
		case name == "pool-max-conn" && n < j.options.Streams():
			f := j.find(poolLow, p.in, "pool-max-conn of server %s is %d, for %d requests in flight.", sv.name, n,
				j.options.Streams())
			f.Found = p.in.source()
			f.Fix = strings.Replace(f.Found, name+" "+p.value, name+" -1", 1)
		}
	}
}

// mostNamed bounds the servers that the report names for one listener.
const mostNamed = 4

// behind are the backends that a frontend names; a listen section is its own.
func (j *judge) behind(s *section) []*section {
	var backends []*section
	if s.kind == "listen" {
		backends = append(backends, s)
	}
	for _, l := range s.lines {
		if b := j.backends[l.text(1)]; b != nil && (l.starts("default_backend") || l.starts("use_backend")) &&
			!slices.Contains(backends, b) && len(backends) < mostBackends {
			backends = append(backends, b)
		}
	}
	return backends
}

// mostBackends bounds the backends of one frontend that are looked at.
const mostBackends = 100

// upstream describes the limits of the connections behind a frontend.
func (j *judge) upstream(s *section) string {
	backends := j.behind(s)
	backends = backends[:min(len(backends), mostNamed+1)]
	var out []string
	for _, b := range backends {
		for _, sv := range b.servers() {
			protocol, limit := "http/1.1", "no limit"
			if sv.speaksH2() {
				protocol = "h2"
			}
			if n, err := strconv.Atoi(sv.params["max-reuse"].value); err == nil && n >= 0 {
				limit = fmt.Sprintf("max-reuse %d", n)
			}
			out = append(out, fmt.Sprintf("%s/%s: %s, %s", b.name, sv.name, protocol, limit))
		}
	}
	if len(out) > mostNamed {
		out = append(out[:mostNamed], "and more")
	}
	return strings.Join(out, "; ")
}
