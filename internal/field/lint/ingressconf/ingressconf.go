// Package ingressconf reads the ConfigMap of the ingress-nginx controller, or the Helm values that
// produce it, and reports how nginx then ends HTTP/2 connections.
package ingressconf

import (
	"bytes"
	"fmt"
	"slices"

	"h2lab/internal/base/versions"
	"h2lab/internal/field/lint"
)

// assumed is the controller version whose defaults apply when the user gives none; they have not
// changed since.
const assumed = "1.6"

// settings are the keys that one ConfigMap or one values file sets.
type settings struct {
	file  *lint.Source
	name  string
	node  *lint.Node // the mapping of keys
	typed bool       // a ConfigMap: values must be strings
}

// Lint checks the ConfigMaps and values files.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	r := lint.Report{Kind: lint.Ingress}
	version, given, err := lint.ParseVersion(o.Version)
	if err != nil {
		return r, err
	}
	if given {
		r.Version = version.String()
	} else {
		version, _, _ = lint.ParseVersion(assumed)
		r.Assumed = append(r.Assumed, "controller "+assumed+" or newer is assumed, as of January 2023: give "+
			"--version with the controller's, older ones have a limit of 100")
	}
	for _, f := range files {
		r.Files = append(r.Files, f.Name)
		docs, err := lint.ReadYAML(f)
		if err != nil {
			return r, err
		}
		source := lint.Lines(f)
		var found []settings
		for _, doc := range docs {
			found = append(found, settingsOf(source, doc, false)...)
		}
		if len(found) == 0 {
			return r, &lint.SyntaxError{
				File: f.Name,
				What: "no ingress-nginx configuration: no ConfigMap with its keys and no Helm values with " +
					"controller.config; give what `kubectl get configmap -o yaml` says",
			}
		}
		for _, s := range found {
			j := &judge{settings: s, options: o, version: version, report: &r}
			j.all()
		}
	}
	r.Sort()
	return r, nil
}

// ofTheChart are keys under `controller` that only the chart of ingress-nginx has.
var ofTheChart = []string{
	"ingressClassResource", "publishService", "watchIngressWithoutClass", "admissionWebhooks", "electionID",
	"configMapNamespace",
}

// settingsOf finds the controller's settings in a document: a ConfigMap, a List of ConfigMaps as
// kubectl prints it, or Helm values, also those of an umbrella chart. With sure, Helm values must
// contain a key that only this chart has.
func settingsOf(f *lint.Source, n *lint.Node, sure bool) []settings {
	if n.Kind != lint.Mapping {
		return nil
	}
	kind := text(n.At("kind"))
	if items := n.At("items"); items != nil && (kind == "List" || kind == "ConfigMapList") {
		var out []settings
		for _, item := range items.Items {
			out = append(out, settingsOf(f, item, sure)...)
		}
		return out
	}
	if kind == "ConfigMap" {
		data := n.At("data")
		name := text(n.At("metadata", "name"))
		if data == nil || data.Kind != lint.Mapping {
			data = &lint.Node{Kind: lint.Mapping, Line: n.Line}
		}
		if !controllers(n, data, name) {
			return nil
		}
		return []settings{{f, name, data, true}}
	}
	if kind != "" {
		return nil
	}
	for _, path := range [][]string{{"controller"}, {"ingress-nginx", "controller"}} {
		controller := n.At(path...)
		if controller == nil || controller.Kind != lint.Mapping || sure && !likely(controller) {
			continue
		}
		config := controller.At("config")
		if config == nil || config.Kind != lint.Mapping {
			config = &lint.Node{Kind: lint.Mapping, Line: controller.Line}
		}
		return []settings{{f, "controller.config", config, false}}
	}
	return nil
}

// likely reports whether Helm values are those of ingress-nginx: many other charts have a `controller`
// too.
func likely(controller *lint.Node) bool {
	if controller.Field(ofTheChart...) != nil {
		return true
	}
	config := controller.At("config")
	return config != nil && slices.ContainsFunc(config.Fields, func(f lint.Field) bool {
		_, known := keys[f.Key]
		return known || meant(f.Key) != ""
	})
}

// controllers reports whether a ConfigMap is the controller's: it has one of the controller's keys,
// its label, or the name that the manifests and the chart give it.
func controllers(n, data *lint.Node, name string) bool {
	for _, f := range data.Fields {
		if _, ok := keys[f.Key]; ok {
			return true
		}
	}
	return text(n.At("metadata", "labels", "app.kubernetes.io/name")) == "ingress-nginx" ||
		slices.Contains([]string{"ingress-nginx-controller", "nginx-configuration", "nginx-ingress-controller"}, name)
}

func text(n *lint.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// Looks reports whether a file looks like the controller's.
func Looks(f lint.File) bool {
	if !bytes.Contains(f.Data, []byte("ConfigMap")) && !bytes.Contains(f.Data, []byte("controller")) {
		return false
	}
	docs, err := lint.ReadYAML(f)
	if err != nil {
		return bytes.Contains(f.Data, []byte("ingress-nginx"))
	}
	return slices.ContainsFunc(docs, func(n *lint.Node) bool { return len(settingsOf(nil, n, true)) > 0 })
}

// judge checks settings and fills the report.
type judge struct {
	settings
	options lint.Options
	version versions.Version
	report  *lint.Report
}

// find adds a finding at a key's line. fix is the new value of the key.
func (j *judge) find(rule lint.Rule, f *lint.Field, fix string, why string, args ...any) *lint.Finding {
	line := j.node.Line
	if f != nil {
		line = f.Line
	}
	found := rule.New(j.file.Name, line, fmt.Sprintf(why, args...))
	if f != nil && fix != "" {
		found.Found, found.Fix = j.file.Swap(f, `"`+fix+`"`)
	}
	j.report.Findings = append(j.report.Findings, found)
	return &j.report.Findings[len(j.report.Findings)-1]
}
