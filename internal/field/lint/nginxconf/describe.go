package nginxconf

import (
	"fmt"
	"h2lab/internal/facts"
	"slices"
	"strings"

	"h2lab/internal/field/lint"
)

// fromMachine is the command that shows what nginx reads, includes and all.
const fromMachine = "nginx -vT 2>&1 | h2lab lint -   # on the machine itself: these files lack some that nginx includes"

// describe fills the listeners, and the assumptions about them.
func (c *config) describe(report *lint.Report, main string) {
	say := func(format string, args ...any) {
		report.Assume(facts.Verbatim(fmt.Sprintf(format, args...)))
	}
	switch {
	case len(c.places) == 0:
		say("Nothing was judged: these files have no server block of http, so there is no listener.")
	case !slices.ContainsFunc(c.places, func(p place) bool { return p.protocols[0] == "?" || isH2(p.protocols) || p.k.quic }):
		say("No listener speaks HTTP/2, so no limit here ends HTTP/2 connections.")
	}
	if c.fragment {
		say("%s has no http block: it is read as if it were included in one that sets nothing.", main)
	}
	if c.load.Main != "" {
		say("%s is above it: lint that to see what its http block sets.", c.load.Main)
	}
	for _, m := range c.load.Moved {
		say("Includes of %s were read from %s.", strings.TrimSuffix(m.From, "/")+"/",
			strings.TrimSuffix(m.To, "/")+"/")
	}
	if names := c.closedBefore(); len(names) > 0 {
		say("Before 1.29.7 nginx closes each connection to %s after one answer: give --version for the change.",
			strings.Join(names, ", "))
	}
	for _, p := range c.places {
		report.Listeners = append(report.Listeners, c.listener(p))
	}
	if len(c.load.Nothing) > 0 || slices.ContainsFunc(c.load.Absent, notStock) {
		report.Then = facts.Verbatim(fromMachine)
	}
}

// closedBefore are the upstream blocks whose connections are kept by the newest release, which was
// assumed, and not by those before 1.29.7, which most machines have.
func (c *config) closedBefore() []string {
	if c.release.told || !c.release.AtLeast(1, 29, 7) {
		return nil
	}
	older := *c
	older.release.Version, _, _ = lint.ParseVersion("1.28.0")
	var out []string
	for _, p := range c.passes {
		if p.pool == nil || p.d.Name != "proxy_pass" || slices.Contains(out, p.pool.name) ||
			c.closes(p).is || c.kept(p.pool).connections == 0 {
			continue
		}
		version, _ := older.httpVersion(p)
		if version == "1.0" || older.closes(p).is || older.kept(p.pool).connections == 0 {
			out = append(out, p.pool.name)
		}
	}
	if n := len(out); n > mostPatterns {
		out = append(out[:mostPatterns], fmt.Sprintf("%d more", n-mostPatterns))
	}
	return out
}
