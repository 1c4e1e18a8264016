package traefikconf

import (
	"regexp"
	"strings"

	"h2lab/internal/field/lint"
)

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
