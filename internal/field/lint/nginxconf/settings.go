package nginxconf

import (
	"fmt"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// setting is the value of a directive for a connection: the server's own, else the http block's, else
// nginx's default. d is nil for a default.
type setting struct {
	d    *nginxfile.Directive
	from string
}

// find returns a directive's setting for a server; ok is false when neither the server nor http sets
// it. The first one of a block counts, since nginx rejects a second.
func (s *server) find(name string) (setting, bool) {
	for _, level := range []*nginxfile.Directive{s.d, s.http} {
		if d := level.First(name); d != nil && len(d.Args) > 0 {
			return setting{d, setAt(d.File, d.Line)}, true
		}
	}
	return setting{}, false
}

// countName is the directive that limits the requests of a connection. Until 1.19.7 HTTP/2 had its
// own, http2_max_requests (nginx 49ab33124).
func (c *config) countName(h2 bool) string {
	if h2 && !c.release.AtLeast(1, 19, 7) {
		return "http2_max_requests"
	}
	return "keepalive_requests"
}

// limit is how many requests a connection to the server serves, and the directive that sets it, nil
// for a default.
func (c *config) limit(s *server, h2 bool) (lint.Limit, *nginxfile.Directive) {
	name := c.countName(h2)
	if v, ok := s.find(name); ok && c.release.known(name) {
		n, ok := number(v.d.Arg(0))
		if !ok {
			return lint.UnknownLimit(fmt.Sprintf("%s at %s:%d is no number", name, v.d.File, v.d.Line)), v.d
		}
		return lint.Requests(max(n, 1), v.from), v.d // the first request reaches a limit of 0
	}
	switch {
	case h2 && !c.release.AtLeast(1, 11, 6):
		return lint.NoLimit("before 1.11.6 nginx has none for HTTP/2"), nil
	case h2 && !c.release.AtLeast(1, 19, 7):
		return lint.Requests(1000, "default before 1.19.7"), nil
	case !c.release.AtLeast(1, 19, 10):
		return lint.Requests(100, "default before 1.19.10"), nil
	}
	return lint.Requests(1000, "default since 1.19.10"), nil
}

// idle is how long a connection without a request stays open.
func (c *config) idle(s *server, h2 bool) lint.Time {
	name, otherwise := "keepalive_timeout", lint.Seconds(75, "default")
	if h2 && !c.release.AtLeast(1, 19, 7) {
		name, otherwise = "http2_idle_timeout", lint.Seconds(180, "default before 1.19.7")
	}
	return timeOf(s, name, otherwise)
}

// age is how old a connection may be before its next request ends it. nginx checks the age only when a
// request arrives.
func (c *config) age(s *server) lint.Time {
	if !c.release.known("keepalive_time") {
		return lint.Never("no keepalive_time before 1.19.10")
	}
	return timeOf(s, "keepalive_time", lint.Seconds(3600, "default since 1.19.10"))
}

func timeOf(s *server, name string, otherwise lint.Time) lint.Time {
	v, ok := s.find(name)
	if !ok {
		return otherwise
	}
	t, ok := seconds(v.d.Arg(0), false)
	if !ok {
		return lint.UnknownTime(fmt.Sprintf("%s at %s:%d is no time", name, v.d.File, v.d.Line))
	}
	return lint.Seconds(t, v.from)
}

// concurrency is how many requests may be in flight on one HTTP/2 connection.
func (c *config) concurrency(s *server) lint.Limit {
	const name = "http2_max_concurrent_streams"
	v, ok := s.find(name)
	if !ok {
		return lint.Requests(128, "default")
	}
	n, ok := number(v.d.Arg(0))
	if !ok {
		return lint.UnknownLimit(fmt.Sprintf("%s at %s:%d is no number", name, v.d.File, v.d.Line))
	}
	return lint.Requests(n, v.from)
}

// streams is how many requests a client is assumed to have in flight on a connection: --in-flight,
// bounded by the server's limit on concurrent streams.
func (c *config) streams(s *server) int {
	n := c.inFlight
	if most := c.concurrency(s).Requests; most != nil && *most > 0 && *most < int64(n) {
		n = int(*most)
	}
	return n
}

func setAt(file string, line int) string { return fmt.Sprintf("set at %s:%d", file, line) }
