package haproxyconf

import (
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/facts"
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
		j.find("haproxy/reuse-never", l, facts.T("linthaproxy.reuse-never", s.name), "http-reuse safe")
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
		j.find("haproxy/max-reuse-high", reuse.in, facts.T("linthaproxy.reuse-high", n, n+1, nginxLimit),
			strings.Replace(reuse.in.source(), "max-reuse "+reuse.value, "max-reuse 900", 1))
	case !set || n < 0:
		f := j.find("haproxy/upstream-goaway", sv.in, facts.T("linthaproxy.goaway", sv.name))
		if l, on := s.last("retry-on"); on && retries(l) {
			f.Add(facts.T("linthaproxy.retried"))
		}
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
	return slices.Contains(l.words[1:], "empty-response") || slices.Contains(l.words[1:], "all-retryable-errors")
}

func (j *judge) pool(sv server) {
	for name, renewed := range map[string]string{"pool-max-conn": "-1", "max-reuse": "900"} {
		p, set := sv.params[name]
		n, err := strconv.Atoi(p.value)
		if !set || err != nil || n < 0 {
			continue
		}
		switch fix := strings.Replace(p.in.source(), name+" "+p.value, name+" "+renewed, 1); {
		case n == 0:
			j.find("haproxy/pool-empty", p.in, facts.T("linthaproxy.pool-empty", name, sv.name), fix)
		case name == "pool-max-conn" && n < j.streams:
			j.find("haproxy/pool-low", p.in, facts.T("linthaproxy.pool-low", sv.name, n, j.streams), fix)
		}
	}
}

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
