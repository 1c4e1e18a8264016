package haproxyconf

import (
	"fmt"
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/base/versions"
	"h2lab/internal/field/lint"
)

// last names the last HAProxy that takes keywords, and the release that refuses them (haproxy
// src/cfgparse-listen.c, src/cfgparse-global.c and src/proxy.c, "not supported anymore since").
type last struct {
	version, refusedBy string
	keywords           []string
}

// lasts are in the order of their versions: the oldest that a file needs counts.
var lasts = []last{
	{"1.5", "1.6", []string{"appsession"}},
	{"1.9", "2.0", []string{"option forceclose"}},
	{"2.0", "2.1", []string{"option http-tunnel", "block", "redispatch", "redisp", "cliexp", "srvexp", "clitimeout",
		"srvtimeout", "contimeout", "reqrep", "reqdel", "reqdeny", "reqpass", "reqallow", "reqtarpit", "reqirep", "reqidel",
		"reqideny", "reqipass", "reqiallow", "reqitarpit", "reqadd", "rsprep", "rspdel", "rspdeny", "rspirep", "rspidel",
		"rspideny", "rspadd"}},
	{"2.4", "2.5", []string{"option http_proxy", "nbproc", "grace"}},
}

// evidence is the version that files are for, by a keyword that later versions refuse.
func (c *config) evidence() (v versions.Version, assumed string) {
	for _, past := range lasts {
		l, there := c.uses(past.keywords)
		if !there {
			continue
		}
		v, _, err := lint.ParseVersion(past.version)
		if err != nil {
			return v, ""
		}
		return v, fmt.Sprintf("HAProxy %s is assumed, since %s and later refuse `%s` at %s:%d: give --version", past.version,
			past.refusedBy, text.ClipLine(l.source(), lint.LongestWord), l.file.Name, l.number)
	}
	return v, ""
}

// uses returns the first line with one of the keywords.
func (c *config) uses(keywords []string) (line, bool) {
	for _, s := range c.sections {
		for _, l := range s.lines {
			name, on := l.option()
			if slices.Contains(keywords, l.text(0)) || on && slices.Contains(keywords, "option "+name) {
				return l, true
			}
		}
	}
	return line{}, false
}
