package check

import (
	"cmp"
	"fmt"
	"strings"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/envoyconf"
	"h2lab/internal/field/lint/haproxyconf"
	"h2lab/internal/field/lint/ingressconf"
	"h2lab/internal/field/lint/nginxconf"
	"h2lab/internal/field/lint/traefikconf"
	"h2lab/internal/field/lint/unsupported"
)

// kind is one server whose configuration can be linted.
type kind struct {
	name   string
	single bool // lint takes one file, which includes the others itself
	looks  func(lint.File) bool
	lint   func([]lint.File, lint.Options) (lint.Report, error)
	rules  lint.Rules
}

// kinds are tried in this order on a file: those that can be recognised with certainty first, nginx
// last, because its directives may appear in any file.
var kinds = []kind{
	{lint.Envoy, false, envoyconf.Looks, envoyconf.Lint, envoyconf.Rules},
	{lint.Ingress, false, ingressconf.Looks, ingressconf.Lint, ingressconf.Rules},
	{lint.Traefik, false, traefikconf.Looks, traefikconf.Lint, traefikconf.Rules},
	{lint.HAProxy, false, haproxyconf.Looks, haproxyconf.Lint, haproxyconf.Rules},
	{lint.Nginx, true, nginxconf.Looks, nginxconf.Lint, nginxconf.Rules},
}

// Rules lists the rules of all kinds.
func Rules() []lint.Rule {
	var out []lint.Rule
	for _, k := range kinds {
		out = append(out, k.rules()...)
	}
	return out
}

// kindOf returns the kind of that name; without a name, the kind that the first file looks like. An
// unrecognised .conf counts as nginx, because it may be an incomplete nginx file, and the error of the
// nginx linter then names the line.
func kindOf(name string, files []lint.File) (kind, error) {
	object, sure := unsupported.Object(files[0])
	if name == "" && sure {
		return kind{}, object
	}
	for _, k := range kinds {
		if k.name == name || name == "" && k.looks(files[0]) {
			return k, nil
		}
	}
	if name == "" {
		if object != nil {
			return kind{}, object
		}
		if err := unsupported.Program(files[0]); err != nil {
			return kind{}, err
		}
		if strings.HasSuffix(files[0].Name, ".conf") {
			return kindOf(lint.Nginx, files)
		}
		if err := cmp.Or(unsupported.Template(files[0]), unsupported.Sections(files[0]), unsupported.Values(files[0]),
			unsupported.Settings(files[0])); err != nil {
			return kind{}, err
		}
	}
	return kind{}, fmt.Errorf("lint: %s looks like no configuration of %s: say whose it is with --kind",
		files[0].Name, strings.Join(lint.Kinds, ", "))
}
