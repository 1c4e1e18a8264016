package nginxconf

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/text"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// newest is the release that is assumed for an unknown version: the newest tag of nginx/nginx whose
// source the defaults below were read from.
const newest = "1.31.4"

// release is the nginx that the configuration is for.
type release struct {
	versions.Version
	told bool // false when newest was assumed
}

// releaseOf returns the release to lint for: the user's --version, else the one that `nginx -v`
// printed into the dump, else newest. assumed says which one it had to assume.
func releaseOf(said, printed string) (r release, assumed facts.Text, err error) {
	program, _, _ := strings.Cut(printed, "/")
	switch {
	case said != "":
		r.told = true
		r.Version, err = versions.Parse(strings.TrimPrefix(said, "nginx/"))
		return r, assumed, err
	case program == "nginx" || program == "openresty": // OpenResty's first three numbers are nginx's
		if r.Version, r.told = versions.Of(program, printed); r.told {
			return r, assumed, nil
		}
	}
	if assumed = facts.T("nginx.newest", newest); printed != "" {
		assumed = facts.T("nginx.not-its-own", text.ClipLine(printed, lint.LongestWord), newest)
	}
	return release{Version: version(newest)}, assumed, nil
}

// version is one of this package's constants.
func version(s string) versions.Version {
	v, err := versions.Parse(s)
	if err != nil {
		panic(err)
	}
	return v
}

// beforeRemoval is the last stable release that takes `ssl on;`, which 1.25.1 removed.
const beforeRemoval = "1.24.0"

// evidence corrects an assumed release by what the files use: a file with `ssl on;` is for an older one.
func (r release) evidence(top []*nginxfile.Directive) (release, facts.Text) {
	var by *nginxfile.Directive
	(&nginxfile.Directive{Block: top, HasBlock: true}).Walk(func(d *nginxfile.Directive) {
		if by == nil && d.Name == "ssl" && len(d.Args) == 1 && !d.HasBlock && (d.Arg(0) == "on" || d.Arg(0) == "off") &&
			(d.Parent == nil || d.Parent.Name == "http" || d.Parent.Name == "server") {
			by = d
		}
	})
	if r.told || by == nil {
		return r, facts.Text{}
	}
	return release{Version: version(beforeRemoval)}, facts.T("nginx.older", beforeRemoval, by.Text(), by.File, by.Line)
}

// newer maps a directive to the release that introduced it (nginx's CHANGES). A key with a slash is a
// directive of that block.
var newer = map[string][3]int{
	"http2_max_requests":          {1, 11, 6},
	"keepalive_time":              {1, 19, 10},
	"http2":                       {1, 25, 1},
	"upstream/keepalive_requests": {1, 15, 3},
	"upstream/keepalive_timeout":  {1, 15, 3},
}

func (r release) known(key string) bool {
	v, listed := newer[key]
	return !listed || r.AtLeast(v[:]...)
}

// find returns a server's directive, its own, else the http block's; nil when neither has one. The first one of a block
// counts, since nginx rejects a second.
func (s *server) find(name string) *nginxfile.Directive {
	for _, level := range []*nginxfile.Directive{s.d, s.http} {
		if d := level.First(name); d != nil && len(d.Args) > 0 {
			return d
		}
	}
	return nil
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
	if d := s.find(name); d != nil && c.release.known(name) {
		l := count(d, lint.Limit{})
		if l.Requests != nil {
			*l.Requests = max(*l.Requests, 1) // the first request reaches a limit of 0
		}
		return l, d
	}
	switch {
	case h2 && !c.release.AtLeast(1, 11, 6):
		return lint.NoLimit(facts.T("nginx.none-for-http2")), nil
	case h2 && !c.release.AtLeast(1, 19, 7):
		return lint.Requests(1000, facts.T("lint.default-before", "1.19.7")), nil
	case !c.release.AtLeast(1, 19, 10):
		return lint.Requests(100, facts.T("lint.default-before", "1.19.10")), nil
	}
	return lint.Requests(1000, facts.T("lint.default-since", "1.19.10")), nil
}

// idle is how long a connection without a request stays open.
func (c *config) idle(s *server, h2 bool) lint.Time {
	if h2 && !c.release.AtLeast(1, 19, 7) {
		return duration(s.find("http2_idle_timeout"), lint.Seconds(180, facts.T("lint.default-before", "1.19.7")))
	}
	return duration(s.find("keepalive_timeout"), lint.Seconds(75, facts.T("lint.default")))
}

// once is a keepalive_timeout of 0, which ends HTTP/2 connections since 1.19.7; before, it was HTTP/1's alone.
func (c *config) once(s *server) *nginxfile.Directive {
	if idle := c.idle(s, true); c.release.AtLeast(1, 19, 7) && idle.Seconds != nil && *idle.Seconds == 0 {
		return s.find("keepalive_timeout")
	}
	return nil
}

// age is how old a connection may be before its next request ends it. nginx checks the age only when a
// request arrives.
func (c *config) age(s *server) lint.Time {
	if !c.release.known("keepalive_time") {
		return lint.Never(facts.T("nginx.no-age"))
	}
	return duration(s.find("keepalive_time"), lint.Seconds(3600, facts.T("lint.default-since", "1.19.10")))
}

// concurrency is how many requests may be in flight on one HTTP/2 connection.
func (c *config) concurrency(s *server) lint.Limit {
	return count(s.find("http2_max_concurrent_streams"), lint.Requests(128, facts.T("lint.default")))
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

// count is the number that a directive sets, or the default.
func count(d *nginxfile.Directive, otherwise lint.Limit) lint.Limit {
	if d == nil {
		return otherwise
	}
	if n, ok := number(d.Arg(0)); ok {
		return lint.Requests(n, lint.SetAt(d.File, d.Line))
	}
	return lint.UnknownLimit(facts.T("nginx.no-number", d.Name, d.File, d.Line))
}

// duration is the time that a directive sets, or the default.
func duration(d *nginxfile.Directive, otherwise lint.Time) lint.Time {
	if d == nil {
		return otherwise
	}
	if t, ok := seconds(d.Arg(0)); ok {
		return lint.Seconds(t, lint.SetAt(d.File, d.Line))
	}
	return lint.UnknownTime(facts.T("nginx.no-time", d.Name, d.File, d.Line))
}

// number reads a number as ngx_conf_set_num_slot does: only digits; no sign, unit or variable.
func number(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && s[0] != '-' && s[0] != '+'
}

// times is what ngx_parse_time takes, in which a unit may only follow larger ones: weeks, days, hours, minutes, seconds,
// milliseconds; a number without a unit is in seconds, and with a space behind it no unit may follow.
var times = regexp.MustCompile(`^(?:(\d*)w *)?(?:(\d*)d *)?(?:(\d*)h *)?(?:(\d*)m *)?(?:(?:(\d*)s *)?(?:(\d*)\x00 *)?|(\d*) +)(\d+)?$`)

// seconds reads a time as ngx_parse_time does for milliseconds: "75", "1h30m", "1h 30m", "500ms".
func seconds(s string) (float64, bool) {
	var ms int64
	m, valid := times.FindStringSubmatch(strings.ReplaceAll(s, "ms", "\x00")), false // its m is no minute
	for i, unit := range []int64{7 * 24 * 3600e3, 24 * 3600e3, 3600e3, 60e3, 1e3, 1, 1e3, 1e3} {
		if m == nil || m[i+1] == "" {
			continue
		}
		n, err := strconv.ParseInt(m[i+1], 10, 64)
		if err != nil || n > (math.MaxInt64-ms)/unit {
			return 0, false
		}
		ms, valid = ms+n*unit, true
	}
	return float64(ms) / 1000, valid
}

// written is a duration in the syntax of nginx's files.
func written(s float64) string {
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
