package nginxconf

import (
	"cmp"
	"errors"
	"fmt"
	"h2lab/internal/facts"
	"path/filepath"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/foreign"
)

// Lint checks a configuration. files[0] is the main file or the output of `nginx -T`; Lint reads
// included files from disk, or from that output.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	return lintFrom(nginxfile.Disk{}, files, o)
}

// LintChanged is Lint with other contents for some files, by their real names (nginxfile.RealName).
func LintChanged(changed map[string][]byte, files []lint.File, o lint.Options) (lint.Report, error) {
	if len(files) > 0 && files[0].Name != "-" {
		if data, is := changed[nginxfile.RealName(files[0].Name)]; is {
			files = []lint.File{{Name: files[0].Name, Data: data}}
		}
	}
	return lintFrom(nginxfile.Overlay{Data: changed}, files, o)
}

func lintFrom(from nginxfile.Source, files []lint.File, o lint.Options) (lint.Report, error) {
	report := lint.Report{Kind: lint.Nginx, Apply: "nginx -t && nginx -s reload"}
	if len(files) == 0 {
		return report, fmt.Errorf("no file to read")
	}
	main := files[0]
	if int64(len(main.Data)) > lint.MostBytes {
		return report, &lint.SyntaxError{
			File: main.Name,
			What: fmt.Sprintf("larger than %d MiB: that is no nginx configuration", lint.MostBytes>>20),
		}
	}
	d, isDump := nginxfile.Undump(main.Data)
	if isDump {
		if o, fixed := from.(nginxfile.Overlay); fixed {
			d = d.With(o.Data)
		}
		from, main = d, lint.File(d.Files()[0])
	} else if err := nginxfile.OnlyMessages(nginxfile.File(main)); err != nil {
		return report, syntax(err)
	}
	r, assumed, err := releaseOf(o.Version, d.Version)
	if err != nil {
		return report, err
	}
	l, err := nginxfile.Load(from, nginxfile.File(main))
	if err == nil && len(l.Top) > 0 && strings.HasSuffix(l.Top[0].Name, ":") {
		err = &nginxfile.Error{File: main.Name, Line: l.Top[0].Line, What: "YAML, which nginx doesn't read"}
	}
	if err != nil {
		return report, explained(err, l.Data)
	}
	if err := foreign.Template(main); err != nil {
		return report, err
	}
	if len(l.Top) == 0 && len(l.Absent)+len(l.Nothing) == 0 {
		return report, &lint.SyntaxError{File: main.Name, What: "empty: there is no directive in it"}
	}
	if older, why := r.evidence(&nginxfile.Directive{Block: l.Top, HasBlock: true}); why != "" {
		r, assumed = older, why
	}
	c := build(l, r, o.Streams())
	c.installed = isDump || nginxfile.Installed(main.Name)
	report.Version, report.Files = r.Version.String(), l.Files
	report.Data, report.Real, report.Root = l.Data, l.Real, filepath.Dir(cmp.Or(l.Main, main.Name))
	if assumed != "" {
		report.Assume(facts.Verbatim(assumed))
	}
	c.describe(&report, main.Name)
	c.judge(&report)
	generated(&report, l)
	report.Sort()
	return report, nil
}

// judge applies every rule.
func (c *config) judge(report *lint.Report) {
	var all []lint.Finding
	for _, rule := range rules {
		report.Order = append(report.Order, rule.ID)
		found := rule.check(c, rule.Rule)
		if n := len(found); n > mostOfARule {
			found = found[:mostOfARule]
			report.Assume(facts.Verbatim(fmt.Sprintf("%s was found %d times; the first %d are listed.",
				rule.ID, n, mostOfARule)))
		}
		all = append(all, found...)
	}
	report.Findings = settle(all)
}

// explained is the error for a file that can't be read: whose it is, when it isn't nginx's, else where
// nginx's own parser fails.
func explained(err error, data map[string][]byte) error {
	e, ok := errors.AsType[*nginxfile.Error](err)
	if !ok || data[e.File] == nil {
		return syntax(err)
	}
	f := lint.File{Name: e.File, Data: data[e.File]}
	return cmp.Or(foreign.Tool(f), foreign.Template(f), foreign.Sections(f), syntax(err))
}

// syntax converts the reader's error into the linter's.
func syntax(err error) error {
	if e, ok := errors.AsType[*nginxfile.Error](err); ok {
		return (*lint.SyntaxError)(e)
	}
	return err
}

// mostOfARule bounds the findings of one rule in a report.
const mostOfARule = 1000

func (c *config) listener(p place) lint.Listener {
	h2, at := isH2(p.protocols), p.s.d
	if p.l.d != nil {
		at = p.l.d
	}
	l := lint.Listener{
		File:      at.File,
		Line:      at.Line,
		Name:      p.s.name(),
		Host:      p.s.name(),
		Address:   p.l.address,
		TLS:       p.k.tls || p.k.quic,
		Protocols: p.protocols,
		Default:   p.k.chosen == p.s && p.k.address != unknownAddress,
		Limit:     p.limit,
		Idle:      c.idle(p.rules, h2),
		Age:       c.age(p.rules),
		Upstream:  lint.Leads(c.upstreams(p.s)),
	}
	switch {
	case h2:
		l.Streams = c.concurrency(p.rules)
	case p.k.quic:
		l.Streams = c.quicStreams(p.s)
	default:
		l.Streams = lint.Requests(1, "HTTP/1.1 answers one request after the other")
	}
	return l
}

// quicStreams is http3_max_concurrent_streams; the default is 128.
func (c *config) quicStreams(s *server) lint.Limit {
	v, ok := s.find("http3_max_concurrent_streams")
	if !ok {
		return lint.Requests(128, "default")
	}
	if n, ok := number(v.d.Arg(0)); ok {
		return lint.Requests(n, v.from)
	}
	return lint.UnknownLimit("http3_max_concurrent_streams is no number")
}

// upstreams describes what ends the connections to the upstream servers.
func (c *config) upstreams(s *server) string {
	var out []string
	seen := map[*pool]bool{}
	for _, p := range c.passes {
		if p.s != s || p.pool == nil || seen[p.pool] {
			continue
		}
		seen[p.pool] = true
		out = append(out, p.pool.name+": "+c.kept(p.pool).String())
	}
	return strings.Join(out, "; ")
}
