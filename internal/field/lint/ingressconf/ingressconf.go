// Package ingressconf reads the ConfigMap of the ingress-nginx controller, or the Helm values that
// produce it, and reports how nginx then ends HTTP/2 connections.
package ingressconf

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// settings are the keys that one ConfigMap or one values file sets.
type settings struct {
	file    *lint.Source
	name    string
	node    *lint.Node // the mapping of keys
	typed   bool       // a ConfigMap: values must be strings
	version lint.Named // the controller's, "" when the file doesn't name it
	chart   lint.Named // the chart's, likewise
	patch   bool       // it is merged into a ConfigMap that has other keys
	byName  bool       // Helm values of which the file's name alone says whose they are
	put     string     // where values go in an object that passes none to the chart, as in lint.Chart
}

//go:embed rules.toml
var rules string

// Rules are the rules of this package.
var Rules = lint.RulesIn(rules)

// Kind is the ingress-nginx controller.
var Kind = lint.Kind{Name: lint.Ingress, Looks: Looks, Lint: Lint, Rules: Rules}

// Lint checks the ConfigMaps and values files.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	r := lint.NewReport(lint.Ingress, files)
	var all []settings
	for _, f := range files {
		docs, err := lint.ReadYAML(f)
		if err != nil {
			return r, err
		}
		found := inFile(lint.Lines(f), docs, false)
		if len(found) == 0 {
			return r, lint.Refuse(f.Name, 0, "no ingress-nginx configuration: no ConfigMap with its keys and no Helm "+
				"values with controller.config; give what `kubectl get configmap -o yaml` says")
		}
		all = append(all, found...)
	}
	version := r.For(o, stated(all)...)
	r.Assume(facts.T("ingress.retired"))
	for _, s := range all {
		if s.patch {
			r.Assume(facts.T("ingress.patch", s.file.Name))
		}
		if s.byName {
			r.Assume(facts.T("ingress.by-name", s.file.Name))
		}
		j := &judge{settings: s, streams: o.Streams(), version: version, report: &r}
		j.all()
	}
	r.Sort()
	return r, nil
}

// inFile finds the settings in the documents of a file. A Deployment beside a ConfigMap names the
// controller's image.
func inFile(f *lint.Source, docs []*lint.Node, sure bool) []settings {
	var out []settings
	var image lint.Named
	for _, doc := range docs {
		out = append(out, settingsOf(f, doc, sure)...)
		if v, there := lint.ImageVersion(doc, "(?:ingress-nginx/controller|nginx-ingress-controller)"); there {
			image = v
		}
	}
	for i := range out {
		if out[i].version.Version == "" {
			out[i].version = image
		}
	}
	return out
}

// ofTheChart are keys under `controller` that the chart of ingress-nginx has, and ofOthers those that
// the charts of F5's NGINX Ingress Controller and of HAProxy's have and this one hasn't.
var (
	ofTheChart = []string{
		"ingressClassResource", "publishService", "watchIngressWithoutClass", "admissionWebhooks", "electionID",
		"configMapNamespace", "addHeaders", "proxySetHeaders", "allowSnippetAnnotations", "reportNodeInternalIp",
	}
	ofOthers = []string{"nginxplus", "nginxStatus", "enableCustomResources", "nginxDebug", "defaultTLS", "wildcardTLS",
		"stats", "haproxy", "daemonset", "defaultTLSSecret", "logging"}
)

// settingsOf finds the controller's settings in a document: a ConfigMap, a List of ConfigMaps as
// kubectl prints it, or Helm values, also those of an umbrella chart or in an object that passes them to
// the chart. With sure, Helm values must contain a key that only this chart has.
func settingsOf(f *lint.Source, n *lint.Node, sure bool) (out []settings) {
	if n.Kind != lint.Mapping {
		return nil
	}
	kind := n.Scalar("kind")
	if items := n.At("items"); items != nil && (kind == "List" || kind == "ConfigMapList") {
		for _, item := range items.Items {
			out = append(out, settingsOf(f, item, sure)...)
		}
		return out
	}
	switch kind {
	case "":
		return values(f, n, sure)
	case "ConfigMap":
		return ofConfigMap(f, n)
	}
	var own lint.Chart // the one that the object installs
	for _, c := range lint.Charts(f, n) {
		for _, v := range c.Values {
			out = append(out, values(f, v, sure && !strings.Contains(n.Scalar("metadata", "name"), "ingress-nginx"))...)
		}
		if c.Name == "ingress-nginx" {
			own = c
		}
	}
	if own.Name != "" && !own.Passes { // the chart's defaults
		out = append(out, settings{file: f, name: n.Scalar("metadata", "name"), put: own.Put,
			node: &lint.Node{Kind: lint.Mapping, Line: n.At("spec").Line}})
	}
	for i := range out {
		out[i].chart = own.Version
	}
	return out
}

// values finds the settings in Helm values: those of the chart, below the name of a subchart, or of
// Bitnami's chart of the same controller, which has them in config.
func values(f *lint.Source, n *lint.Node, sure bool) []settings {
	if config := n.At("config"); config != nil && n.At("controller") == nil && slices.ContainsFunc(config.Fields, isDistinct) {
		return []settings{{file: f, name: "config", node: config}}
	}
	charts := []*lint.Node{n}
	for _, sub := range n.Fields {
		if strings.Contains(sub.Key, "nginx") {
			charts = append(charts, sub.Value)
		}
	}
	for _, chart := range charts {
		controller := chart.At("controller")
		if controller == nil || controller.Kind != lint.Mapping || sure && !likely(f, controller) {
			continue
		}
		config := controller.At("config")
		if config == nil || config.Kind != lint.Mapping {
			config = &lint.Node{Kind: lint.Mapping, Line: controller.Line}
		}
		s := settings{file: f, name: "controller.config", node: config}
		s.byName = chart == n && !distinctive(controller) && !bytes.Contains(f.Data, []byte("ingress-nginx")) &&
			!strings.Contains(f.Name, "ingress-nginx")
		s.version, _ = lint.TagVersion(controller)
		return []settings{s}
	}
	return nil
}

// isDistinct reports a key that only this controller has.
func isDistinct(f lint.Field) bool {
	_, ours := keys[f.Key]
	return ours || slices.Contains(distinct, f.Key)
}

func ofConfigMap(f *lint.Source, n *lint.Node) []settings {
	data, name := n.At("data"), n.Scalar("metadata", "name")
	if data == nil || data.Kind != lint.Mapping {
		data = &lint.Node{Kind: lint.Mapping, Line: n.Line}
	}
	if !controllers(n, data, name) {
		return nil
	}
	s := settings{file: f, name: name, node: data, typed: true,
		patch: n.At("$patch") != nil || n.At("apiVersion") == nil || strings.Contains(strings.ToLower(f.Name), "patch")}
	if label := n.At("metadata", "labels").Field("app.kubernetes.io/version"); label != nil {
		s.version, _ = lint.Release(label.Value.Text, label.Line)
	}
	return []settings{s}
}

// likely reports whether Helm values are those of ingress-nginx: many other charts have a `controller`
// too.
func likely(f *lint.Source, controller *lint.Node) bool {
	if controller.Field(ofOthers...) != nil || controller.At("config", "entries") != nil {
		return false
	}
	return distinctive(controller) || strings.Contains(strings.ToLower(filepath.Base(f.Name)), "nginx")
}

// distinctive reports a key that only the chart or the controller of ingress-nginx has.
func distinctive(controller *lint.Node) bool {
	if controller.Field(ofTheChart...) != nil {
		return true
	}
	config := controller.At("config")
	return config != nil && slices.ContainsFunc(config.Fields, func(f lint.Field) bool {
		_, ours := keys[f.Key]
		return ours || others[plain(f.Key)] != "" || slices.Contains(known, f.Key) || isMisspelt(f)
	})
}

// beside are the ends of the names of the controller's other ConfigMaps: services of TCP and UDP, headers
// to set.
var beside = []string{"tcp-services", "udp-services", "-tcp", "-udp", "-headers", "-leader"}

// isMisspelt reports a key of this controller's written as other programs write theirs: keepAliveRequests. In one
// word, as keepAlive, it could be anybody's.
func isMisspelt(f lint.Field) bool {
	k := meant(f.Key)
	return k != f.Key && plain(k) == plain(f.Key) && strings.Count(k, "-") > 1
}

// controllers reports whether a ConfigMap is the controller's: it has one of the controller's keys,
// its label, or the name that the manifests and the chart give it. A key that is misspelt needs a name like the
// controller's too.
func controllers(n, data *lint.Node, name string) bool {
	if slices.ContainsFunc(beside, func(end string) bool { return strings.HasSuffix(name, end) }) {
		return false
	}
	space := n.Scalar("metadata", "namespace")
	if strings.Contains(name+" "+space, "nginx") && slices.ContainsFunc(data.Fields, isMisspelt) {
		return true
	}
	return slices.ContainsFunc(data.Fields, isDistinct) || n.Scalar("metadata", "labels", "app.kubernetes.io/name") == "ingress-nginx" ||
		slices.Contains([]string{"ingress-nginx-controller", "nginx-configuration", "nginx-ingress-controller"}, name)
}

// distinct are keys that no other controller's ConfigMap has.
var distinct = []string{"allow-snippet-annotations", "annotations-risk-level", "compute-full-forwarded-for", "enable-brotli",
	"enable-modsecurity", "enable-real-ip", "generate-request-id", "log-format-escape-json", "log-format-upstream",
	"proxy-real-ip-cidr", "strict-validate-path-type", "use-forwarded-headers", "use-gzip"}

// Looks reports whether a file looks like the controller's.
func Looks(f lint.File) bool {
	if !slices.ContainsFunc([]string{"ConfigMap", "controller", "config:", "ingress-nginx"}, func(part string) bool {
		return bytes.Contains(f.Data, []byte(part))
	}) {
		return false
	}
	docs, err := lint.ReadYAML(f)
	if err != nil {
		return bytes.Contains(f.Data, []byte("ingress-nginx"))
	}
	return len(inFile(lint.Lines(f), docs, true)) > 0
}

// judge checks settings and fills the report.
type judge struct {
	settings
	streams int // that a client has in flight on a connection
	version versions.Version
	report  *lint.Report
}

// find adds a finding at a key's line. fix is the new value of the key.
func (j *judge) find(rule string, f *lint.Field, fix string, why facts.Text) *lint.Finding {
	line := j.node.Line
	if f != nil {
		line = f.Line
	}
	found := Rules.New(rule, j.file.Name, line, why)
	if f != nil && fix != "" {
		found.Found, found.Fix = j.file.Swap(f, `"`+fix+`"`)
	}
	j.report.Findings = append(j.report.Findings, found)
	return &j.report.Findings[len(j.report.Findings)-1]
}
