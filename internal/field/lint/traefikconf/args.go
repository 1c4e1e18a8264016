package traefikconf

import (
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
