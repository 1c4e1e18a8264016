package haproxyconf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

// defaultStreams is HAProxy's default limit of concurrent streams (src/mux_h2.c,
// h2_settings_max_concurrent_streams).
const defaultStreams = 100

// frontend checks the sections that accept clients.
func (j *judge) frontend(s *section) {
	if s.mode() != "http" {
		return
	}
	listeners, offered := 0, false
	for _, l := range s.lines {
		if !l.starts("bind") {
			continue
		}
		p := params{}
		p.add(l, 2)
		protocols := j.protocols(l.text(1), p)
		_, ssl := p["ssl"]
		// A cleartext bind reads HTTP/2 too, from clients that know in advance; few do.
		offered = offered || lint.HTTP2(protocols) && (ssl || p["proto"].value == "h2")
		listeners++
		j.report.Listeners = append(j.report.Listeners, lint.Listener{
			File:      l.file.Name,
			Line:      l.number,
			Name:      s.name,
			Address:   l.text(1),
			TLS:       ssl,
			Protocols: protocols,
			Default:   true,
			Limit:     j.limit(protocols),
			Idle:      j.idle(s),
			Age:       lint.Never(facts.T("linthaproxy.never")),
			Streams:   j.concurrency(protocols),
		})
		if ssl && !slices.Contains(protocols, "h2") && !slices.Contains(protocols, "h3") {
			fix := l.source() + " alpn h2,http/1.1"
			if _, set := p["alpn"]; set {
				fix = strings.Replace(l.source(), "alpn "+p["alpn"].value, "alpn h2,http/1.1", 1)
			} else if _, set := p["no-alpn"]; set {
				fix = strings.Replace(l.source(), "no-alpn", "alpn h2,http/1.1", 1)
			}
			j.find("haproxy/no-h2", l, facts.T("linthaproxy.no-h2", l.text(1)), fix)
		}
	}
	if listeners > 0 {
		j.rates(s)
		j.idleFindings(s, offered)
	}
	if offered {
		j.closing(s)
	}
}

// protocols are those that a client of a bind line can use. Without TLS, HAProxy also recognises the
// HTTP/2 preface.
func (j *judge) protocols(address string, p params) []string {
	_, ssl := p["ssl"]
	_, off := p["no-alpn"]
	alpn, set := p["alpn"]
	switch {
	case strings.HasPrefix(address, "quic"):
		return []string{"h3"}
	case p["proto"].value == "h2" && ssl:
		return []string{"h2"}
	case p["proto"].value == "h2":
		return []string{"h2c"}
	case p["proto"].value == "h1":
		return []string{"http/1.1"}
	case !ssl:
		return []string{"http/1.1", "h2c"}
	case set:
		var out []string
		for _, name := range strings.Split(alpn.value, ",") {
			if name == "h2" || name == "http/1.1" {
				out = append(out, name)
			}
		}
		slices.Sort(out)
		slices.Reverse(out)
		return out
	case off || !j.version.AtLeast(2, 8): // since 2.8 the default is h2 and http/1.1
		return []string{"http/1.1"}
	}
	return []string{"http/1.1", "h2"}
}

// h2Alone explains an unknown limit: the tune.h2 keywords apply to HTTP/2 only.
var h2Alone = facts.T("linthaproxy.h2-alone")

func (j *judge) limit(protocols []string) lint.Limit {
	if !lint.HTTP2(protocols) {
		return lint.NoLimit(h2Alone)
	}
	l, set := j.globals["tune.h2.fe.max-total-streams"]
	n, ok := number(l)
	switch {
	case !set, ok && n == 0:
		return lint.NoLimit(facts.T("linthaproxy.default"))
	case strings.Contains(l.text(1), "$"):
		return lint.UnknownLimit(facts.T("linthaproxy.variable", l.file.Name, l.number))
	case !ok:
		return lint.NoLimit(facts.T("linthaproxy.no-number", l.file.Name, l.number))
	}
	return lint.Requests(n, lint.SetAt(l.file.Name, l.number))
}

func (j *judge) concurrency(protocols []string) lint.Limit {
	if !lint.HTTP2(protocols) {
		return lint.UnknownLimit(h2Alone)
	}
	if l, n := j.mostStreams(); n > 0 {
		return lint.Requests(n, lint.SetAt(l.file.Name, l.number))
	}
	return lint.Requests(defaultStreams, facts.T("linthaproxy.default"))
}

// mostStreams is the limit of concurrent streams and its line; 0 when none is set.
func (j *judge) mostStreams() (line, int64) {
	for _, name := range []string{"tune.h2.fe.max-concurrent-streams", "tune.h2.max-concurrent-streams"} {
		if n, ok := number(j.globals[name]); ok && n > 0 {
			return j.globals[name], n
		}
	}
	return line{}, 0
}

// number is the value of a tune line.
func number(l line) (int64, bool) {
	n, err := strconv.ParseInt(l.text(1), 10, 32)
	return n, err == nil && n >= 0
}

// idleTimeouts are the timeouts that close an idle HTTP/2 connection; the first one that is set wins
// (src/mux_h2.c, h2c_update_timeout).
var idleTimeouts = []string{"http-keep-alive", "http-request", "client"}

// idleLine returns the line of the timeout in effect, with the timeout's name and value.
func idleLine(s *section) (line, string, time.Duration) {
	for _, name := range idleTimeouts {
		if l, set := s.last("timeout", name); set {
			if d, ok := duration(l.text(2)); !ok || d > 0 {
				return l, name, d
			}
		}
	}
	return line{}, "", 0
}

func (j *judge) idle(s *section) lint.Time {
	switch l, name, d := idleLine(s); {
	case name == "":
		return lint.Never(facts.T("linthaproxy.no-timeout"))
	case d == 0:
		return lint.UnknownTime(facts.T("linthaproxy.timeout-variable", name, l.text(2), l.file.Name, l.number))
	default:
		return lint.Seconds(d.Seconds(), facts.T("linthaproxy.timeout-set", name, l.file.Name, l.number))
	}
}

func (j *judge) idleFindings(s *section, h2 bool) {
	l, name, d := idleLine(s)
	if name == "" {
		j.find("haproxy/idle-never", s.head, facts.T("linthaproxy.none", s.kind, s.name)).Fix = keepAlive
		return
	}
	if d == 0 || d >= lint.ShortIdle || !h2 || j.reported[l.place()] { // 0 is a variable
		return
	}
	j.reported[l.place()] = true
	rule, why, fix := "haproxy/idle-short", facts.T("lint.idle-ends", d.String()), keepAlive
	switch name {
	case "http-request":
		rule, why = "haproxy/http-request-idles", facts.T("linthaproxy.request-idles", s.kind, s.name, d.String())
		fix = l.source() + "\n" + fix
	case "client":
		why, fix = facts.T("linthaproxy.client-idles", s.kind, s.name, d.String()), l.source()+"\n"+fix
	}
	j.find(rule, l, why, fix).WeighIdle(d)
}

// keepAlive is the line that keeps idle connections.
var keepAlive, _, _ = strings.Cut(cure.Idle(cure.HAProxy)[0].Line.String(), "\n")

// closing checks a frontend over HTTP/2, and the backends behind it, for options that end HTTP/1 connections
// only.
func (j *judge) closing(s *section) {
	for _, at := range append([]*section{s}, j.behind(s)...) {
		for _, name := range []string{"httpclose", "forceclose", "http-server-close"} {
			if l, on := at.option(name); on && !j.reported[l.place()] {
				j.reported[l.place()] = true
				j.find("haproxy/close-without-effect", l, facts.T("linthaproxy.close", s.name))
			}
		}
	}
}

// since is the HAProxy version that introduced each keyword; older versions reject the file.
var since = map[string][2]int{
	"tune.h2.fe.max-total-streams":      {3, 0},
	"tune.h2.fe.max-concurrent-streams": {2, 8},
	"tune.h2.be.max-concurrent-streams": {2, 8},
}

// tuning checks the global sections.
func (j *judge) tuning() {
	for _, s := range j.proxiesOf("global") {
		for _, l := range s.lines {
			j.tune(l)
		}
	}
	l := j.globals["tune.h2.fe.max-total-streams"]
	if n, ok := number(l); ok && n > 0 && j.version.AtLeast(3, 0) {
		f := j.find("haproxy/limit", l, facts.T("linthaproxy.limit", int(n), j.streams, j.streams))
		if f.Severity = lint.Weigh(n, j.streams); f.Severity != lint.Note {
			f.Found, f.Fix = l.source(), cure.RequestLimit(cure.HAProxy, int(n), false)[0].Line.String()
		}
	}
	if l, n := j.mostStreams(); n > 0 && n < int64(j.streams) {
		j.find("haproxy/streams-low", l, facts.T("lint.streams-low", int(n), j.streams), l.text(0)+" "+strconv.Itoa(j.streams))
	}
}

func (j *judge) tune(l line) {
	name := l.text(0)
	if from, versioned := since[name]; versioned && !j.version.AtLeast(from[0], from[1]) {
		j.find("haproxy/limit-unknown", l, facts.T("linthaproxy.unknown", j.version.String(), name, from[0], from[1]), "")
	}
	if _, ok := number(l); strings.HasPrefix(name, "tune.h2.") && strings.HasSuffix(name, "-streams") && !ok &&
		!strings.Contains(l.text(1), "$") {
		j.find("haproxy/not-a-number", l, facts.T("linthaproxy.no-digit", strconv.Quote(l.text(1))), "")
	}
}

// statsAlone reports a section that leads to no server: HAProxy's page of statistics, which nobody's
// requests fill.
func (s *section) statsAlone() bool {
	_, page := s.last("stats")
	for _, way := range []string{"server", "server-template", "default_backend", "use_backend"} {
		if _, leads := s.last(way); leads {
			return false
		}
	}
	return page
}

// rates compares the limits on new connections with the stampede of one client.
func (j *judge) rates(s *section) {
	if s.statsAlone() { // no client of it has many requests in flight; global limits are those of TCP proxies then
		return
	}
	k := int64(j.streams)
	check := func(l line, value string, what facts.Text) {
		least := k
		if !strings.Contains(l.text(0), "rate") {
			least++ // the connection that ends is still there
		}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 && n < least {
			j.find("haproxy/connections-low", l, facts.T("linthaproxy.connections", what, int(n), int(k)),
				strings.Replace(l.source(), " "+value, fmt.Sprintf(" %d", 10*k), 1))
		}
	}
	for _, name := range []string{"maxconn", "maxsslconn", "maxsslrate", "maxconnrate", "maxsessrate"} {
		if l, set := j.globals[name]; set {
			check(l, l.text(1), facts.Verbatim(name))
		}
	}
	if l, set := s.last("maxconn"); set {
		check(l, l.text(1), facts.T("linthaproxy.maxconn-of", s.name))
	}
	if l, set := s.last("rate-limit", "sessions"); set {
		check(l, l.text(2), facts.Verbatim("rate-limit sessions"))
	}
	for _, l := range s.lines {
		if l.starts("bind") {
			p := params{}
			p.add(l, 2)
			check(l, p["maxconn"].value, facts.T("linthaproxy.maxconn-bind", l.text(1)))
		}
	}
}
