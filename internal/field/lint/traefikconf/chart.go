package traefikconf

import (
	"path"
	"path/filepath"
	"strings"

	"h2lab/internal/field/lint"
)

// ofAPort are keys below `ports.NAME` of the Helm chart of Traefik (github.com/traefik/traefik-helm-chart,
// values.yaml).
var ofAPort = []string{"port", "expose", "exposedPort", "nodePort", "hostPort", "redirectTo", "redirections", "transport",
	"http3", "tls", "http", "forwardedHeaders", "proxyProtocol", "observability", "asDefault"}

// chartOf returns values of the Helm chart, and whether a document has some: values alone, below the
// name of a subchart, or in an object that passes them to the chart.
func chartOf(f *lint.Source, n *lint.Node) ([]*lint.Node, bool) {
	if passed := lint.ChartValues(f, n); len(passed) > 0 {
		var out []*lint.Node
		for _, v := range passed {
			if isChart(v) || strings.Contains(nameOf(n), "traefik") {
				out = append(out, v)
			}
		}
		return out, len(out) > 0
	}
	for _, v := range []*lint.Node{n, n.At("traefik")} {
		if v != nil && n.At("kind") == nil && isChart(v) {
			return []*lint.Node{v}, true
		}
	}
	if n.At("kind") == nil && namesTraefik(f.Name) && chartsAlone(n) {
		return []*lint.Node{n}, true
	}
	return nil, false
}

// namesTraefik reports whether a file, or its directory, is called after Traefik: values that leave its entry points
// alone don't say whose they are.
func namesTraefik(name string) bool {
	dir, base := path.Split(filepath.ToSlash(name))
	return strings.Contains(strings.ToLower(base+" "+path.Base(dir)), "traefik")
}

// chartsAlone reports keys that the chart of Traefik has and Traefik's own configuration hasn't.
func chartsAlone(n *lint.Node) bool {
	for _, key := range [][]string{{"ingressRoute", "dashboard"}, {"ingressClass", "isDefaultClass"}, {"logs", "access"},
		{"logs", "general"}, {"globalArguments"}} {
		if n.At(key...) != nil {
			return true
		}
	}
	return false
}

// nameOf is the name of an object that passes values to a chart, and of the chart.
func nameOf(n *lint.Node) string {
	out := ""
	for _, path := range [][]string{{"metadata", "name"}, {"spec", "chart"}, {"spec", "chart", "spec", "chart"},
		{"spec", "source", "chart"}} {
		if v := n.At(path...); v != nil {
			out += " " + v.Text
		}
	}
	return out
}

// isChart reports whether values are those of Traefik's chart: its entry points by their usual names, or
// arguments that set entry points.
func isChart(n *lint.Node) bool {
	if ports := n.At("ports"); ports != nil && ports.Kind == lint.Mapping {
		for _, p := range ports.Fields {
			if (p.Key == "web" || p.Key == "websecure" || p.Key == "traefik") && p.Value.Field(ofAPort...) != nil {
				return true
			}
		}
	}
	list := n.At("additionalArguments")
	if list == nil {
		return false
	}
	top := &lint.Node{Kind: lint.Mapping}
	argsWithin(list, top, map[*lint.Node]bool{})
	return way(top, "entryPoints") != nil || way(top, "serversTransport") != nil
}

// fromChart writes the chart's values as the options that the chart makes of them
// (templates/_podtemplate.tpl): ports become entry points, and additionalArguments are arguments.
func fromChart(f *lint.Source, n *lint.Node) document {
	points := &lint.Node{Kind: lint.Mapping, Line: n.Line}
	if ports := n.At("ports"); ports != nil {
		for _, p := range ports.Fields {
			if p.Value.Kind != lint.Mapping {
				continue
			}
			point := &lint.Node{Kind: lint.Mapping, Line: p.Line}
			add := func(key string, line int, v *lint.Node) {
				point.Fields = append(point.Fields, lint.Field{Key: key, Line: line, Value: v})
			}
			if port := p.Value.Field("port"); port != nil {
				add("address", port.Line, &lint.Node{Kind: lint.Scalar, Text: ":" + port.Value.Text, Line: port.Line})
			}
			if t := p.Value.Field("transport"); t != nil {
				add("transport", t.Line, withoutNulls(t.Value))
			}
			if on(p.Value.At("http3", "enabled")) {
				add("http3", p.Line, &lint.Node{Kind: lint.Mapping})
			}
			tls := p.Value.At("tls", "enabled")
			if v := p.Value.At("http", "tls", "enabled"); v != nil {
				tls = v
			}
			if on(tls) || tls == nil && p.Key == "websecure" { // the chart's default
				add("http", p.Line, &lint.Node{Kind: lint.Mapping, Fields: []lint.Field{{Key: "tls", Line: p.Line,
					Value: &lint.Node{Kind: lint.Mapping}}}})
			}
			points.Fields = append(points.Fields, lint.Field{Key: p.Key, Line: p.Line, Value: point})
		}
	}
	d := document{file: f, args: map[*lint.Node]bool{}, chart: true,
		node: &lint.Node{Kind: lint.Mapping, Line: n.Line, Fields: []lint.Field{{Key: "entryPoints", Line: n.Line, Value: points}}}}
	for _, key := range []string{"additionalArguments", "env"} {
		if list := n.At(key); list != nil {
			argsWithin(list, d.node, d.args)
		}
	}
	d.version, _ = lint.TagVersion(n)
	return d
}

func on(n *lint.Node) bool { return n != nil && n.Text == "true" }

// withoutNulls is a mapping without the fields that a values file leaves empty.
func withoutNulls(n *lint.Node) *lint.Node {
	out := *n
	out.Fields = nil
	for _, f := range n.Fields {
		if f.Value.Kind != lint.Null {
			f.Value = withoutNulls(f.Value)
			out.Fields = append(out.Fields, f)
		}
	}
	return &out
}
