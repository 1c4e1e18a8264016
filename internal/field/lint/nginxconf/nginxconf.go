// Package nginxconf reports what an nginx configuration does to HTTP/2 connections: the limits in
// effect at each listening socket, where they are set, and what is wrong with them.
// internal/base/nginxfile reads the files; what nginx itself refuses is left to `nginx -t`.
package nginxconf

import (
	"cmp"
	_ "embed"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/unsupported"
)

//go:embed rules.toml
var rules string

// Rules are the rules of this package, in the order of the report.
var Rules = lint.RulesIn(rules)

// Kind is nginx.
var Kind = lint.Kind{Name: lint.Nginx, Single: true, Looks: Looks, Lint: Lint, Rules: Rules}

// Lint checks a configuration. files[0] is the main file or the output of `nginx -T`; Lint reads
// included files from disk, or from that output.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	return LintChanged(nil, files, o)
}

// LintChanged is Lint with other contents for some files, as nginxfile.Load takes them.
func LintChanged(changed map[string][]byte, files []lint.File, o lint.Options) (lint.Report, error) {
	return lintFrom(nginxfile.Disk{}, changed, files, o)
}

func lintFrom(from nginxfile.Source, changed map[string][]byte, files []lint.File, o lint.Options) (lint.Report, error) {
	report := lint.NewReport(lint.Nginx, nil)
	report.Apply = "nginx -t && nginx -s reload"
	if len(files) == 0 {
		return report, errors.New("no file to read")
	}
	main := files[0]
	d, isDump := nginxfile.Undump(main.Data)
	if isDump {
		from, main = d, d.Files()[0]
	} else if err := nginxfile.OnlyMessages(main); err != nil {
		return report, err
	}
	r, assumed, err := releaseOf(o.Version, d.Version)
	if err != nil {
		return report, err
	}
	tree, err := load(from, main, changed)
	if err != nil {
		return report, err
	}
	if older, why := r.evidence(tree.Top); !why.IsZero() {
		r, assumed = older, why
	}
	c := build(tree, r, o.Streams())
	report.Version, report.Files = r.Version.String(), tree.Files
	report.Data, report.Real, report.Root = tree.Data, tree.Real, filepath.Dir(cmp.Or(tree.Main, main.Name))
	if !assumed.IsZero() {
		report.Assume(assumed)
	}
	c.describe(&report, main.Name)
	c.judge(&report)
	generated(&report, tree)
	report.Sort()
	return report, nil
}

// load reads the main file and what it includes. A file that can't be read is named: whose it is, when it isn't
// nginx's, else where nginx's own parser fails.
func load(from nginxfile.Source, main lint.File, changed map[string][]byte) (*nginxfile.Tree, error) {
	tree, err := nginxfile.Load(from, main, changed)
	if err == nil && len(tree.Top) > 0 && strings.HasSuffix(tree.Top[0].Name, ":") {
		err = lint.Refuse(main.Name, tree.Top[0].Line, "YAML, which nginx doesn't read")
	}
	if e, ok := errors.AsType[*lint.SyntaxError](err); ok && tree.Data[e.File] != nil {
		f := lint.File{Name: e.File, Data: tree.Data[e.File]}
		return nil, cmp.Or(unsupported.Named(f), unsupported.Template(f), unsupported.Sections(f), err)
	}
	if err == nil {
		err = unsupported.Template(main)
	}
	if err == nil && len(tree.Top) == 0 && len(tree.Absent)+len(tree.Nothing) == 0 {
		err = lint.Refuse(main.Name, 0, "empty: there is no directive in it")
	}
	return tree, err
}

// describe fills the listeners, and the assumptions about them.
func (c *config) describe(report *lint.Report, main string) {
	switch {
	case len(c.places) == 0:
		report.Assume(facts.T("nginx.nothing-judged"))
	case !slices.ContainsFunc(c.places, func(p place) bool { return p.protocols[0] == "?" || p.h2() || p.k.quic }):
		report.Assume(facts.T("nginx.no-http2"))
	}
	if c.fragment {
		report.Assume(facts.T("nginx.fragment", main))
	}
	if c.load.Main != "" {
		report.Assume(facts.T("nginx.above", c.load.Main))
	}
	for _, m := range c.load.Moved {
		report.Assume(facts.T("nginx.moved", strings.TrimSuffix(m.From, "/")+"/", strings.TrimSuffix(m.To, "/")+"/"))
	}
	if names := c.closedBefore(); len(names) > 0 {
		report.Assume(facts.T("nginx.closed-before", enumerated(names)))
	}
	report.Assume(facts.T("nginx.left-to-nginx"))
	for _, p := range c.places {
		report.Listeners = append(report.Listeners, c.listener(p))
	}
	if len(c.load.Nothing) > 0 || slices.ContainsFunc(c.load.Absent, notStock) {
		report.Then = facts.T("nginx.on-the-machine")
	}
}

func (c *config) listener(p place) lint.Listener {
	at := cmp.Or(p.l.d, p.s.d)
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
		Idle:      c.idle(p.rules, p.h2()),
		Age:       c.age(p.rules),
		Upstream:  c.upstreams(p.s),
	}
	switch {
	case p.h2():
		l.Streams = c.concurrency(p.rules)
	case p.k.quic:
		l.Streams = count(p.s.find("http3_max_concurrent_streams"), lint.Requests(128, facts.T("lint.default")))
	default:
		l.Streams = lint.Requests(1, facts.T("nginx.one-after-the-other"))
	}
	return l
}

// mostOfARule bounds the findings of one rule in a report.
const mostOfARule = 1000

// judge applies every rule.
func (c *config) judge(report *lint.Report) {
	var all []lint.Finding
	for _, r := range Rules() {
		report.Order = append(report.Order, r.ID)
		n := 0
		checks[r.ID](c, r, func(f lint.Finding) {
			if n++; n <= mostOfARule {
				all = append(all, f)
			}
		})
		if n > mostOfARule {
			report.Assume(facts.T("nginx.found-often", r.ID, n, mostOfARule))
		}
	}
	report.Findings = settle(all)
}

// mostNames bounds the names and patterns that a text lists.
const mostNames = 20

func enumerated(names []string) facts.Text {
	var out []facts.Text
	for i, name := range names {
		if i == mostNames {
			out = append(out, facts.T("nginx.and-more", len(names)-i))
			break
		}
		out = append(out, facts.Verbatim(name))
	}
	return facts.Join("join.comma", out...)
}

// Looks reports whether a file looks like nginx's: the output of `nginx -T`, or a file that nginxfile
// can read and that has one of nginx's directives at the top level. For an incomplete file, the part
// before the break decides.
func Looks(f lint.File) bool {
	if _, ok := nginxfile.Undump(f.Data); ok || nginxfile.Messages(f.Data) {
		return true
	}
	top, err := nginxfile.Parse(f)
	statements := len(top) > 0
	for _, d := range top {
		switch {
		case strings.HasSuffix(d.Name, ":"), strings.Trim(d.Name, "-") == "", strings.HasPrefix(d.Name, "```"):
			return false // YAML or Markdown with nginx's text in it
		case d.HasBlock && blocks.MatchString(d.Name), !d.HasBlock && directives.MatchString(d.Name):
			return true
		}
		statements = statements && !d.HasBlock && modules.MatchString(d.Name)
	}
	return err == nil && statements
}

var (
	blocks = regexp.MustCompile(`^(http|events|server|upstream|location|stream|mail|map)$`)

	// directives are nginx's alone.
	directives = regexp.MustCompile(`^(user|worker_processes|worker_connections|pid|include|access_log|error_log|listen|server_name|` +
		`(proxy|grpc)_pass|proxy_http_version|proxy_set_header|keepalive_(requests|time|timeout|min_timeout)|http[23]|` +
		`http2_max_requests|http[23]_max_concurrent_streams|http2_(idle|recv)_timeout|` +
		`ssl_(certificate|certificate_key|session_cache|session_tickets))$`)

	// modules are the prefixes of directives of nginx's modules. A file of such lines alone is a part of a
	// configuration.
	modules = regexp.MustCompile(`^(ssl|proxy|grpc|fastcgi|uwsgi|gzip|limit|client|real_ip|open_file|resolver|` +
		`log_format|add_header|set_real_ip_from|large_client|send|tcp|server_tokens|sendfile|brotli)(_\w+)?$`)

	// swallowed are directives whose names are never arguments of another one.
	swallowed = regexp.MustCompile(`^(listen|server_name|(proxy|grpc)_pass|proxy_http_version|proxy_set_header|` +
		`keepalive_(requests|time|timeout)|http2_max_\w+|ssl_(certificate|certificate_key|session_\w+)|(access|error)_log)$`)
)

// inHTTP reports whether a directive is in the http block, or in a file that one includes.
func (c *config) inHTTP(d *nginxfile.Directive) bool {
	for up := d.Parent; up != nil; up = up.Parent {
		switch up.Name {
		case "http":
			return true
		case "events", "stream", "mail":
			return false
		}
	}
	return c.fragment
}

// ofServers reports whether a directive is in blocks of servers and their connections alone: the entries of a map, geo
// or types block are no directives, and stream and mail have directives of their own.
func ofServers(d *nginxfile.Directive) bool {
	for up := d.Parent; up != nil; up = up.Parent {
		if !slices.Contains([]string{"http", "server", "location", "if", "limit_except", "upstream", "events"}, up.Name) {
			return false
		}
	}
	return true
}
