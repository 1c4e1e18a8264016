package haproxyconf

import (
	"fmt"
	"strconv"
	"strings"

	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

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
	if l, set := j.global("tune.h2.fe.max-total-streams"); set && j.version.AtLeast(3, 0) {
		if n, ok := number(l); ok && n > 0 {
			j.limited(l, n)
		}
	}
	if l, set := j.fewStreams(); set {
		n, _ := number(l)
		f := j.find(streamsLow, l, "%d streams at once, for clients with %d requests in flight.", n,
			j.options.Streams())
		f.Found, f.Fix = l.source(), l.text(0)+" "+strconv.Itoa(j.options.Streams())
	}
}

func (j *judge) tune(l line) {
	name := l.text(0)
	if from, versioned := since[name]; versioned && !j.version.AtLeast(from[0], from[1]) {
		f := j.find(limitUnknown, l, "HAProxy %s doesn't know %s, which came with %d.%d, and refuses the file.",
			j.version, name, from[0], from[1])
		f.Found = l.source()
	}
	if _, ok := number(l); strings.HasPrefix(name, "tune.h2.") && strings.HasSuffix(name, "-streams") && !ok &&
		!strings.Contains(l.text(1), "$") {
		j.find(notNumber, l, "%q is read as a number.", l.text(1)).Found = l.source()
	}
}

func (j *judge) limited(l line, n int64) {
	streams := j.options.Streams()
	f := j.find(limitSet, l, "After %d requests the connection is replaced. A client with %d in flight that dials "+
		"once for each of them, as Go's net/http does, opens up to %d connections then.", n, streams, streams)
	f.Severity = lint.Weigh(n, streams)
	if f.Severity != lint.Note {
		f.Found, f.Fix = l.source(), cure.RequestLimit(cure.HAProxy, int(n), false)[0].Line
	}
}

// fewStreams returns the line that allows fewer streams than the client's requests in flight.
func (j *judge) fewStreams() (line, bool) {
	for _, name := range []string{"tune.h2.fe.max-concurrent-streams", "tune.h2.max-concurrent-streams"} {
		if l, set := j.global(name); set {
			if n, ok := number(l); ok && n > 0 {
				return l, n < int64(j.options.Streams())
			}
		}
	}
	return line{}, false
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
	k := int64(j.options.Streams())
	check := func(l line, value, what string) {
		least := k
		if !strings.Contains(what, "rate") {
			least++ // the connection that ends is still there
		}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 && n < least {
			f := j.find(connectionsLow, l, "%s is %d. One client's renewal may open %d connections at once.", what, n, k)
			f.Found = l.source()
			f.Fix = strings.Replace(f.Found, " "+value, fmt.Sprintf(" %d", 10*k), 1)
		}
	}
	for _, name := range []string{"maxconn", "maxsslconn", "maxsslrate", "maxconnrate", "maxsessrate"} {
		if l, set := j.global(name); set {
			check(l, l.text(1), name)
		}
	}
	if l, set := s.last("maxconn"); set {
		check(l, l.text(1), "maxconn of "+s.name)
	}
	if l, set := s.last("rate-limit", "sessions"); set {
		check(l, l.text(2), "rate-limit sessions")
	}
	for _, l := range s.lines {
		if l.starts("bind") {
			p := params{}
			p.add(l, 2)
			check(l, p["maxconn"].value, "maxconn of bind "+l.text(1))
		}
	}
}
