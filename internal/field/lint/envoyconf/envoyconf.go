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
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// assumed is the version of Envoy when neither the user nor the file states one.
const assumed = "1.40"

//go:embed rules.toml
var rules string

// Rules are the rules of this package.
var Rules = lint.RulesIn(rules)

// Kind is Envoy.
var Kind = lint.Kind{Name: lint.Envoy, Looks: Looks, Lint: Lint, Rules: Rules}

// Lint checks the files of one Envoy.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	r := lint.NewReport(lint.Envoy, files)
	j := &judge{config: &config{services: map[string]bool{}}, streams: o.Streams(), report: &r}
	for _, f := range files {
		if err := j.read(lint.Lines(f)); err != nil {
			return r, err
		}
	}
	j.version = r.For(o, lint.Stated{Version: j.stated}, lint.AssumedVersion(assumed, "lintenvoy.assumed"))
	if len(j.bootstraps) > 0 && len(j.dumps) == 0 {
		r.Apply = "envoy --mode validate -c FILE"
		r.Assume(facts.T("lintenvoy.validate"))
	}
	j.all()
	if j.wrong != nil {
		return lint.NewReport(lint.Envoy, nil), j.wrong
	}
	j.origin()
	if j.tcp > 0 {
		r.Assume(facts.T("lintenvoy.tcp", text.Count(j.tcp)))
	}
	if len(j.listeners) == 0 && len(j.clusters) == 0 {
		r.Assume(facts.T("lintenvoy.empty"))
	}
	r.Sort()
	j.gather()
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
	return has(n, slices.Concat([]string{"resources", "virtual_hosts", "@type"}, listenerKeys, clusterKeys, bootstrapKeys)) ||
		isDump(n, 0)
}

// judge checks a config and fills the report.
type judge struct {
	*config
	version  versions.Version
	streams  int // that a client has in flight on a connection
	report   *lint.Report
	managers []part            // the HttpConnectionManagers of all listeners
	ways     map[string]routes // the routes to them
	tcp      int               // the filter chains without an HttpConnectionManager
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
	j.ways = countRoutes(routes)
	for _, l := range j.listeners {
		j.listener(l)
	}
	for _, cl := range j.clusters {
		j.cluster(newUpstream(cl))
	}
	for _, b := range j.bootstraps {
		j.overload(b)
	}
}

// find adds a finding at a field, or where it would be, whose fix is another value of the field; "" for none.
func (j *judge) find(rule string, p part, path, fix string, why facts.Text) *lint.Finding {
	j.report.Findings = append(j.report.Findings, Rules.New(rule, p.file.Name, p.line(path), why))
	f := &j.report.Findings[len(j.report.Findings)-1]
	if fix != "" {
		p.swap(f, fix, path)
	}
	return f
}

// The overload actions and load shed points that end connections
// (envoy/config/overload/v3/overload.proto).
var endsConnections = map[string]string{
	"envoy.overload_actions.disable_http_keepalive":                     "lintenvoy.drains",
	"envoy.overload_actions.close_idle_http_connections":                "lintenvoy.closes-idle",
	"envoy.load_shed_points.http2_server_go_away_on_dispatch":           "lintenvoy.answers-goaway",
	"envoy.load_shed_points.http2_server_go_away_and_close_on_dispatch": "lintenvoy.goaway-and-close",
}

func (j *judge) overload(b part) {
	for _, p := range slices.Concat(b.items("overload_manager/actions"), b.items("overload_manager/loadshed_points")) {
		name := p.text("name")
		what := endsConnections[name]
		if what == "lintenvoy.answers-goaway" && !j.version.AtLeast(1, 39) {
			what = "lintenvoy.one-stage"
		}
		if what != "" {
			j.find("envoy/overload-goaway", p, "name", "", facts.T(what, name))
		}
	}
}

// controlPlane is a program that writes Envoy's configuration: what its output contains, and where the settings of
// connections stand in its own objects (the reference of each one's API).
type controlPlane struct {
	name  string
	edit  facts.Text
	signs *regexp.Regexp
}

var controlPlanes = []controlPlane{
	{"Istio", facts.T("lintenvoy.istio"), regexp.MustCompile(`istiod|ISTIO_VERSION|istio-ca|xds-grpc`)},
	{"Envoy Gateway", facts.T("lintenvoy.envoy-gateway"), regexp.MustCompile(`envoy-gateway|gateway\.envoyproxy\.io`)},
	{"Contour", facts.T("lintenvoy.contour"), regexp.MustCompile(`projectcontour|ingress_https/`)},
	{"Consul", facts.T("lintenvoy.consul"), regexp.MustCompile(`consul-dataplane|local_agent`)},
	{"Kuma", facts.T("lintenvoy.kuma"), regexp.MustCompile(`kuma\.io/`)},
}

// origin says where to make the change in a file that a control plane wrote.
func (j *judge) origin() {
	for _, f := range j.files {
		dump := slices.Contains(j.dumps, f.Name)
		at := slices.IndexFunc(controlPlanes, func(p controlPlane) bool { return p.signs.Match(f.Data) })
		switch {
		case dump && at >= 0:
			j.report.Assume(facts.T("lintenvoy.dump-of", f.Name, controlPlanes[at].name, controlPlanes[at].edit))
		case dump:
			j.report.Assume(facts.T("lintenvoy.dump", f.Name))
		case at >= 0 && len(j.bootstraps) == 0:
			j.report.Assume(facts.T("lintenvoy.made-by", f.Name, controlPlanes[at].name, controlPlanes[at].edit))
		case slices.Contains(j.lists, f.Name):
			j.report.Assume(facts.T("lintenvoy.list", f.Name))
		}
	}
}

// gather makes one finding of those of a rule and a severity in a file that a control plane wrote: one
// change there changes all of them.
func (j *judge) gather() {
	first := map[string]int{}
	out := j.report.Findings[:0]
	for _, f := range j.report.Findings {
		group := strings.Join([]string{f.File, f.Rule, string(f.Severity)}, " ")
		at, again := first[group]
		if again && (slices.Contains(j.dumps, f.File) || slices.Contains(j.lists, f.File)) {
			out[at].Also = append(out[at].Also, f.Place())
			continue
		}
		first[group] = len(out)
		out = append(out, f)
	}
	j.report.Findings = out
}
