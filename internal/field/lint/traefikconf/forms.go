package traefikconf

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"h2lab/internal/field/lint"
)

// mostParts bounds the depth of an argument's name.
const mostParts = 20

// readArgs reads a file that contains only arguments of the command line, such as
// --entryPoints.web.address=:80, or variables for them; nil when it contains anything else.
func readArgs(f lint.File) (*lint.Node, map[*lint.Node]bool) {
	top, args := &lint.Node{Kind: lint.Mapping, Line: 1}, map[*lint.Node]bool{}
	for i, line := range strings.Split(string(f.Data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line == `\` {
			continue
		}
		words := strings.Fields(line)
		if words[0] == "traefik" {
			words = words[1:]
		}
		for _, w := range words {
			if w == `\` {
				continue
			}
			w = strings.Trim(w, `"'`)
			name, value, _ := strings.Cut(w, "=")
			if !addArg(top, w, i+1, args) && !addVariable(top, name, strings.Trim(value, `"'`), i+1, args) {
				return nil, nil
			}
		}
	}
	if len(top.Fields) == 0 {
		return nil, nil
	}
	return top, args
}

// argsWithin collects the arguments of every list below n, and the variables: a Compose file, a Deployment and the
// Helm chart's additionalArguments and env contain them.
func argsWithin(n, top *lint.Node, args map[*lint.Node]bool) {
	variables(n, top, args)
	for _, item := range n.Items {
		if item.Kind == lint.Scalar {
			addArg(top, item.Text, item.Line, args)
			variables(item, top, args)
		}
		argsWithin(item, top, args)
	}
	for _, f := range n.Fields {
		argsWithin(f.Value, top, args)
	}
}

// addArg adds an argument to the tree as the same option of a file, and reports whether arg is one. args
// collects the values.
func addArg(top *lint.Node, arg string, line int, args map[*lint.Node]bool) bool {
	if !strings.HasPrefix(arg, "--") || len(arg) == 2 {
		return false
	}
	name, value, given := strings.Cut(arg[2:], "=")
	if !given {
		value = "true"
	}
	parts := strings.Split(name, ".")
	if len(parts) > mostParts {
		return false
	}
	at := top
	for i, part := range parts {
		f := member(at, part)
		if f == nil {
			at.Fields = append(at.Fields, lint.Field{
				Key:   part,
				Line:  line,
				Value: &lint.Node{Kind: lint.Mapping, Line: line},
			})
			f = &at.Fields[len(at.Fields)-1]
		}
		if i == len(parts)-1 && (given || len(f.Value.Fields) == 0) {
			f.Line, f.Value = line, &lint.Node{Kind: lint.Scalar, Text: value, Line: line, Fields: f.Value.Fields}
			args[f.Value] = true
		}
		at = f.Value
	}
	return true
}

// member is a mapping's field; Traefik ignores the case of names.
func member(n *lint.Node, name string) *lint.Field {
	if n == nil {
		return nil
	}
	for i := range n.Fields {
		if strings.EqualFold(n.Fields[i].Key, name) {
			return &n.Fields[i]
		}
	}
	return nil
}

// way follows names from n; nil when one is missing.
func way(n *lint.Node, names ...string) *lint.Field {
	var f *lint.Field
	for _, name := range names {
		if f = member(n, name); f == nil {
			return nil
		}
		n = f.Value
	}
	return f
}

// inEnvironment matches the variables of options that this package reads: Traefik takes each option from
// TRAEFIK_ and its name with _ for the dots (doc.traefik.io, "Configuration Options", Environment variables).
// Other variables with that beginning are often a user's own.
var inEnvironment = regexp.MustCompile(`(?i)^TRAEFIK_((?:ENTRYPOINTS|SERVERSTRANSPORT)_[A-Z0-9_]+)$`)

// addVariable adds a variable as the argument that sets the same option.
func addVariable(top *lint.Node, name, value string, line int, args map[*lint.Node]bool) bool {
	m := inEnvironment.FindStringSubmatch(name)
	if m == nil {
		return false
	}
	return addArg(top, "--"+strings.ToLower(strings.ReplaceAll(m[1], "_", "."))+"="+value, line, args)
}

// variables adds those of a container: NAME=VALUE in a list, NAME: VALUE, and the pairs of name and value of
// Kubernetes.
func variables(n, top *lint.Node, args map[*lint.Node]bool) {
	if n.Kind == lint.Scalar {
		if name, value, given := strings.Cut(n.Text, "="); given {
			addVariable(top, name, value, n.Line, args)
		}
		return
	}
	if name, value := n.At("name"), n.At("value"); name != nil && value != nil && value.Kind == lint.Scalar {
		addVariable(top, name.Text, value.Text, value.Line, args)
		return
	}
	for _, f := range n.Fields {
		if f.Value.Kind == lint.Scalar {
			addVariable(top, f.Key, f.Value.Text, f.Line, args)
		}
	}
}

// ofVariable matches a line that sets a variable, up to its value and behind it.
var ofVariable = regexp.MustCompile(`(?i)^(.*?(?:TRAEFIK_\w+["']?\s*[=:]\s*|^value:\s*)["']?)[^"'\s]*(["']?.*)$`)

// variable is the line of a variable with another value; "" when it sets none.
func variable(line, value string) string {
	m := ofVariable.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return m[1] + value + m[2]
}

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
