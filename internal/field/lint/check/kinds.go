package check

import (
	"fmt"
	"strings"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/envoyconf"
	"h2lab/internal/field/lint/haproxyconf"
	"h2lab/internal/field/lint/ingressconf"
	"h2lab/internal/field/lint/nginxconf"
	"h2lab/internal/field/lint/traefikconf"
)

// kind is one server whose configuration can be read.
type kind struct {
	name   string
	single bool // one file, which names the others itself
	looks  func(lint.File) bool
	lint   func([]lint.File, lint.Options) (lint.Report, error)
	rules  []lint.Rule
}

// kinds are asked in this order whether a file is theirs: those that can be
// told for sure first, nginx last, whose words may stand in any file.
var kinds = []kind{
	{lint.Envoy, false, envoyconf.Looks, envoyconf.Lint, envoyconf.Rules},
	{lint.Ingress, false, ingressconf.Looks, ingressconf.Lint, ingressconf.Rules},
	{lint.Traefik, false, traefikconf.Looks, traefikconf.Lint, traefikconf.Rules},
	{lint.HAProxy, false, haproxyconf.Looks, haproxyconf.Lint, haproxyconf.Rules},
	{lint.Nginx, true, nginxconf.Looks, nginxconf.Lint, nginxconf.Rules},
}

// kindOf is the kind that was asked for, else the one that the first file looks
// like. A .conf that looks like nothing, since it breaks off at once, is taken for
// nginx's, who then says where.
func kindOf(name string, files []lint.File) (kind, error) {
	for _, k := range kinds {
		if k.name == name || name == "" && k.looks(files[0]) {
			return k, nil
		}
	}
	if name == "" && strings.HasSuffix(files[0].Name, ".conf") {
		return kindOf(lint.Nginx, files)
	}
	return kind{}, fmt.Errorf("lint: %s looks like no configuration of %s: say whose it is with --kind",
		files[0].Name, strings.Join(lint.Kinds, ", "))
}
