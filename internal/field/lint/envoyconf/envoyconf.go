// Package envoyconf reads Envoy's configuration (a bootstrap, a /config_dump or bare resources, in
// YAML or JSON) by the paths of its settings, and reports what ends HTTP/2 connections from clients and to
// upstreams. Whether Envoy takes the file is left to `envoy --mode validate`.
package envoyconf

import (
	"bytes"
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// assumed is the version of Envoy when neither the user nor the file states one.
const assumed = "1.40"

//go:embed rules.toml
var rules string

// Rules are the rules of this package.
var Rules = lint.RulesIn(rules)

// Lint checks the files of one Envoy.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	c := &config{services: map[string]bool{}}
	r := lint.Report{Kind: lint.Envoy}
	given, known, err := lint.ParseVersion(o.Version)
	if err != nil {
		return r, err
	}
	for _, f := range files {
		r.Files = append(r.Files, f.Name)
		if err := c.read(lint.Lines(f)); err != nil {
			return r, err
		}
	}
	switch {
	case known:
		c.version = given
	case !c.versioned:
		c.version, _, _ = lint.ParseVersion(assumed)
		r.Assume(facts.T("lintenvoy.assumed", assumed))
	}
	if known || c.versioned {
		r.Version = c.version.String()
	}
	for _, s := range c.repeated {
		r.Assume(s)
	}
	if len(c.bootstraps) > 0 && len(c.dumps) == 0 {
		r.Apply = "envoy --mode validate -c FILE"
		r.Assume(facts.T("lintenvoy.validate"))
	}
	j := &judge{config: c, options: o, report: &r}
	j.all()
	if c.wrong != nil {
		return lint.Report{Kind: lint.Envoy}, c.wrong
	}
	for _, s := range c.origin() {
		r.Assume(s)
	}
	if j.tcp > 0 {
		r.Assume(facts.T("lintenvoy.tcp", text.Count(j.tcp)))
	}
	if len(c.listeners) == 0 && len(c.clusters) == 0 {
		r.Assume(facts.T("lintenvoy.empty"))
	}
	r.Sort()
	r.Findings = c.gathered(r.Findings)
	return r, nil
}

// itsWords are in every file of Envoy's, in either spelling of a field's name.
var itsWords = regexp.MustCompile(`envoy\.|(static|dynamic)_resources|load_?[aA]ssignment|filter_?[cC]hains|eds_?[cC]luster_?[cC]onfig`)

// Looks reports whether a file looks like Envoy's.
func Looks(f lint.File) bool {
	if !itsWords.Match(f.Data) {
		return false
	}
	docs, err := lint.ReadYAML(f)
	if err != nil {
		return bytes.Contains(f.Data, []byte("static_resources")) ||
			bytes.Contains(f.Data, []byte("type.googleapis.com/envoy."))
	}
	n := docs[0]
	if n.Kind == lint.Sequence && len(n.Items) > 0 {
		n = n.Items[0]
	}
	for _, key := range slices.Concat([]string{"resources", "virtual_hosts", "@type"}, listenerKeys, clusterKeys, bootstrapKeys) {
		if field(n, key) != nil {
			return true
		}
	}
	return len(dumped(n, 0)) > 0
}

// judge checks a config and fills the report.
type judge struct {
	*config
	options  lint.Options
	report   *lint.Report
	managers []part              // the HttpConnectionManagers of all listeners
	upstream map[string]upstream // the clusters by name
	ways     map[string]routes   // the routes to them
	tcp      int                 // the filter chains without an HttpConnectionManager
}

func (j *judge) all() {
	routes := slices.Clone(j.routes)
	for _, l := range j.listeners {
		for _, fc := range chains(l) {
			if m := manager(fc); m.there() {
				j.managers, routes = append(j.managers, m), append(routes, m.at("route_config"))
			}
		}
	}
	j.upstream, j.ways = map[string]upstream{}, countRoutes(routes)
	all := make([]upstream, len(j.clusters))
	for i, cl := range j.clusters {
		all[i] = newUpstream(cl)
		j.upstream[all[i].name] = all[i]
	}
	for _, l := range j.listeners {
		j.listener(l)
	}
	for _, u := range all {
		j.cluster(u)
	}
	for _, b := range j.bootstraps {
		j.overload(b)
	}
}

// find adds a finding at a field, or where it would be.
func (j *judge) find(rule string, p part, path ...string) func(why facts.Text) *lint.Finding {
	return func(why facts.Text) *lint.Finding {
		j.report.Findings = append(j.report.Findings, Rules.New(rule, p.file.Name, p.line(path...), why))
		return &j.report.Findings[len(j.report.Findings)-1]
	}
}

// The overload actions and load shed points that end connections
// (envoy/config/overload/v3/overload.proto).
var endsConnections = map[string]facts.Text{
	"envoy.overload_actions.disable_http_keepalive":                     facts.T("lintenvoy.drains"),
	"envoy.overload_actions.close_idle_http_connections":                facts.T("lintenvoy.closes-idle"),
	"envoy.load_shed_points.http2_server_go_away_on_dispatch":           facts.T("lintenvoy.answers-goaway"),
	"envoy.load_shed_points.http2_server_go_away_and_close_on_dispatch": facts.T("lintenvoy.goaway-and-close"),
}

func (j *judge) overload(b part) {
	manager := b.at("overload_manager")
	for _, p := range slices.Concat(manager.items("actions"), manager.items("loadshed_points")) {
		name := p.text("name")
		what, ends := endsConnections[name]
		if strings.HasSuffix(name, "go_away_on_dispatch") && !j.version.AtLeast(1, 39) {
			what = facts.T("lintenvoy.one-stage")
		}
		if what.Args = []any{name}; ends {
			j.find("envoy/overload-goaway", p, "name")(what)
		}
	}
}
