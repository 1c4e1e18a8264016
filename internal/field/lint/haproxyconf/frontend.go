package haproxyconf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
		offered = offered || hasH2(protocols) && (ssl || p["proto"].value == "h2")
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
			Age:       lint.Never("HAProxy has no such limit"),
			Streams:   j.streams(protocols),
			Upstream:  lint.Leads(j.upstream(s)),
		})
		if ssl && !slices.Contains(protocols, "h2") && !slices.Contains(protocols, "h3") {
			f := j.find(noH2, l, "Clients of %s speak HTTP/1.1, one request at a time on a connection.", l.text(1))
			f.Found, f.Fix = l.source(), l.source()+" alpn h2,http/1.1"
			if _, set := p["alpn"]; set {
				f.Fix = strings.Replace(l.source(), "alpn "+p["alpn"].value, "alpn h2,http/1.1", 1)
			} else if _, set := p["no-alpn"]; set {
				f.Fix = strings.Replace(l.source(), "no-alpn", "alpn h2,http/1.1", 1)
			}
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
const h2Alone = "only HTTP/2 has such a limit"

func hasH2(protocols []string) bool {
	return slices.Contains(protocols, "h2") || slices.Contains(protocols, "h2c")
}

func (j *judge) limit(protocols []string) lint.Limit {
	if !hasH2(protocols) {
		return lint.NoLimit(h2Alone)
	}
	l, set := j.global("tune.h2.fe.max-total-streams")
	n, ok := number(l)
	switch {
	case !set, ok && n == 0:
		return lint.NoLimit("HAProxy's default")
	case strings.Contains(l.text(1), "$"):
		return lint.UnknownLimit(fmt.Sprintf("a variable at %s:%d", l.file.Name, l.number))
	case !ok:
		return lint.NoLimit(fmt.Sprintf("no number at %s:%d", l.file.Name, l.number))
	}
	return lint.Requests(n, lint.SetAt(l.file.Name, l.number))
}

func (j *judge) streams(protocols []string) lint.Limit {
	if !hasH2(protocols) {
		return lint.UnknownLimit(h2Alone)
	}
	for _, name := range []string{"tune.h2.fe.max-concurrent-streams", "tune.h2.max-concurrent-streams"} {
		if l, set := j.global(name); set {
			if n, ok := number(l); ok && n > 0 {
				return lint.Requests(n, lint.SetAt(l.file.Name, l.number))
			}
		}
	}
	return lint.Requests(defaultStreams, "HAProxy's default")
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
		return lint.Never("no timeout client, http-request or http-keep-alive")
	case d == 0:
		return lint.UnknownTime(fmt.Sprintf("timeout %s %s at %s:%d", name, l.text(2), l.file.Name, l.number))
	default:
		return lint.Seconds(d.Seconds(), fmt.Sprintf("timeout %s, set at %s:%d", name, l.file.Name, l.number))
	}
}

func (j *judge) idleFindings(s *section, h2 bool) {
	l, name, d := idleLine(s)
	switch {
	case name == "":
		j.find(idleNever, s.head, "%s %s has none of the three.", s.kind, s.name).Fix = keepAlive
	case d == 0 || d >= lint.ShortIdle || !h2 || j.reported[l.place()]: // 0 is a variable
		return
	case name == "http-keep-alive":
		f := j.find(idleShort, l, "After %s without a request the connection ends.", d)
		f.WeighIdle(d)
		f.Found, f.Fix = l.source(), keepAlive
	case name == "http-request":
		f := j.find(requestIdles, l, "timeout http-keep-alive is not set for %s %s, so timeout http-request ends an idle "+
			"connection after %s.", s.kind, s.name, d)
		f.WeighIdle(d)
		f.Found, f.Fix = l.source(), l.source()+"\n"+keepAlive
	default:
		f := j.find(idleShort, l, "timeout http-keep-alive is not set for %s %s, so timeout client ends an idle connection "+
			"after %s.", s.kind, s.name, d)
		f.WeighIdle(d)
		f.Found, f.Fix = l.source(), l.source()+"\n"+keepAlive
	}
	if name != "" {
		j.reported[l.place()] = true
	}
}

// keepAlive is the line that keeps idle connections.
var keepAlive, _, _ = strings.Cut(cure.Idle(cure.HAProxy)[0].Line, "\n")

// closing checks a frontend over HTTP/2, and the backends behind it, for options that end HTTP/1 connections
// only.
func (j *judge) closing(s *section) {
	for _, at := range append([]*section{s}, j.behind(s)...) {
		for _, name := range []string{"httpclose", "forceclose", "http-server-close"} {
			if l, on := at.option(name); on && !j.reported[l.place()] {
				j.reported[l.place()] = true
				j.find(closeOption, l, "HTTP/2 clients of %s keep their connections all the same.", s.name)
			}
		}
	}
}
