package traefikconf

import (
	"cmp"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"h2lab/internal/field/lint"
)

// mostParts bounds the depth of an argument's name.
const mostParts = 20

// arguments are options of the command line, or of variables, as the tree of a file.
type arguments struct {
	top    *lint.Node
	values map[*lint.Node]bool // the scalars in the tree
}

func newArguments(line int) *arguments {
	return &arguments{&lint.Node{Kind: lint.Mapping, Line: line}, map[*lint.Node]bool{}}
}

// readArgs reads a file that contains only arguments of the command line, such as
// --entryPoints.web.address=:80, or variables for them; nil when it contains anything else.
func readArgs(f lint.File) (*lint.Node, map[*lint.Node]bool) {
	a := newArguments(1)
	for i, line := range strings.Split(string(f.Data), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for n, w := range strings.Fields(line) {
			if w != `\` && (n > 0 || w != "traefik") && !a.add(strings.Trim(w, `"'`), i+1) {
				return nil, nil
			}
		}
	}
	if len(a.top.Fields) == 0 {
		return nil, nil
	}
	return a.top, a.values
}

// within collects the arguments of every list below n, and the variables: a Compose file, a Deployment and the
// Helm chart's additionalArguments and env contain them.
func (a *arguments) within(n *lint.Node) {
	for _, item := range n.Items {
		if item.Kind == lint.Scalar {
			a.add(item.Text, item.Line)
		}
	}
	if name, value := n.At("name"), n.At("value"); name != nil && value != nil && value.Kind == lint.Scalar {
		a.variable(name.Text, value.Text, value.Line) // as Kubernetes has them
	} else {
		for _, f := range n.Fields {
			if f.Value.Kind == lint.Scalar {
				a.variable(f.Key, f.Value.Text, f.Line)
			}
		}
	}
	for _, inner := range n.Inner() {
		a.within(inner)
	}
}

// inEnvironment matches the variables of options that this package reads: Traefik takes each option from
// TRAEFIK_ and its name with _ for the dots (doc.traefik.io, "Configuration Options", Environment variables).
// Other variables with that beginning are often a user's own.
var inEnvironment = regexp.MustCompile(`(?i)^TRAEFIK_((?:ENTRYPOINTS|SERVERSTRANSPORT)_[A-Z0-9_]+)$`)

// variable adds a variable as the argument that sets the same option.
func (a *arguments) variable(name, value string, line int) bool {
	m := inEnvironment.FindStringSubmatch(name)
	return m != nil && a.add("--"+strings.ToLower(strings.ReplaceAll(m[1], "_", "."))+"="+strings.Trim(value, `"'`), line)
}

// add adds an argument, or a variable as NAME=VALUE, to the tree as the same option of a file, and reports whether the
// word is one.
func (a *arguments) add(word string, line int) bool {
	name, value, given := strings.Cut(word, "=")
	if !strings.HasPrefix(word, "--") || len(word) == 2 {
		return given && a.variable(name, value, line)
	}
	if !given {
		value = "true"
	}
	parts := strings.Split(name[2:], ".")
	if len(parts) > mostParts {
		return false
	}
	at := a.top
	for i, part := range parts {
		f := way(at, part)
		if f == nil {
			at.Fields = append(at.Fields, lint.Field{Key: part, Line: line, Value: &lint.Node{Kind: lint.Mapping, Line: line}})
			f = &at.Fields[len(at.Fields)-1]
		}
		if i == len(parts)-1 && (given || len(f.Value.Fields) == 0) {
			f.Line, f.Value = line, &lint.Node{Kind: lint.Scalar, Text: value, Line: line, Fields: f.Value.Fields}
			a.values[f.Value] = true
		}
		at = f.Value
	}
	return true
}

// way follows names from n, which may be nil; Traefik ignores the case of names. It returns nil when one is missing.
func way(n *lint.Node, names ...string) (f *lint.Field) {
	for _, name := range names {
		f = nil
		for i := 0; n != nil && i < len(n.Fields) && f == nil; i++ {
			if strings.EqualFold(n.Fields[i].Key, name) {
				f = &n.Fields[i]
			}
		}
		if f == nil {
			return nil
		}
		n = f.Value
	}
	return f
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

// chartOf returns values of the Helm chart: values alone, below the name of a subchart, or in an object that passes
// them to the chart.
func chartOf(f *lint.Source, n *lint.Node) (out []*lint.Node) {
	for _, c := range lint.Charts(f, n) {
		name := c.Name + n.Scalar("metadata", "name")
		for _, v := range c.Values {
			if isChart(v) || strings.Contains(name, "traefik") {
				out = append(out, v)
			}
		}
	}
	if len(out) > 0 || n.At("kind") != nil {
		return out
	}
	for _, v := range []*lint.Node{n, n.At("traefik")} {
		if v != nil && isChart(v) {
			return []*lint.Node{v}
		}
	}
	if namesTraefik(f.Name) && chartsAlone(n) {
		return []*lint.Node{n}
	}
	return nil
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
	list, a := n.At("additionalArguments"), newArguments(1)
	if list != nil {
		a.within(list)
	}
	return way(a.top, "entryPoints") != nil || way(a.top, "serversTransport") != nil
}

// fromChart writes the chart's values as the options that the chart makes of them
// (templates/_podtemplate.tpl): ports become entry points, and additionalArguments are arguments.
func fromChart(f *lint.Source, n *lint.Node) document {
	points := &lint.Node{Kind: lint.Mapping, Line: n.Line}
	for _, p := range fields(n, "ports") {
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
		tls := cmp.Or(p.Value.At("http", "tls", "enabled"), p.Value.At("tls", "enabled"))
		if on(tls) || tls == nil && p.Key == "websecure" { // the chart's default
			add("http", p.Line, &lint.Node{Fields: []lint.Field{{Key: "tls", Line: p.Line, Value: &lint.Node{}}}})
		}
		points.Fields = append(points.Fields, lint.Field{Key: p.Key, Line: p.Line, Value: point})
	}
	a := newArguments(n.Line)
	a.top.Fields = []lint.Field{{Key: "entryPoints", Line: n.Line, Value: points}}
	for _, key := range []string{"additionalArguments", "env"} {
		if list := n.At(key); list != nil {
			a.within(list)
		}
	}
	version, _ := lint.TagVersion(n)
	return document{file: f, args: a.values, chart: true, node: a.top, version: version}
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
