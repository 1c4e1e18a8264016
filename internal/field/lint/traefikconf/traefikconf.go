// Package traefikconf reads Traefik's configuration (YAML, TOML, or arguments of its command line) and
// reports what ends HTTP/2 connections.
package traefikconf

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// assumed is the Traefik version whose defaults apply when the user gives none.
const assumed = "2.11"

// document is the content of one file as Traefik's own tree of options.
type document struct {
	file *lint.Source
	node *lint.Node
	args map[*lint.Node]bool // the values that are arguments: a fix then is an argument
	toml bool
	// chart says that these are values of the Helm chart: entry points that it doesn't name keep the
	// chart's defaults.
	chart   bool
	version lint.Named // that of the image, "" when the file names none
}

//go:embed rules.toml
var rules string

// Rules are the rules of this package.
var Rules = lint.RulesIn(rules)

// Kind is Traefik.
var Kind = lint.Kind{Name: lint.Traefik, Looks: Looks, Lint: Lint, Rules: Rules}

// Lint checks the files of one Traefik.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	r := lint.NewReport(lint.Traefik, files)
	var docs []document
	var stated []lint.Stated
	chart, routes := false, false
	for _, f := range files {
		found, err := read(f)
		if err != nil {
			return r, err
		}
		docs = append(docs, found...)
	}
	for _, d := range docs {
		chart, routes = chart || d.chart, routes || routing(d.node)
		if v := d.version; v.Version != "" {
			why := facts.T("linttraefik.image", v.Version, d.file.Name, v.Line)
			stated = append(stated, lint.Stated{Version: v.Version, Why: why})
		}
	}
	version := r.For(o, append(stated, lint.AssumedVersion(assumed, "linttraefik.assumed"))...)
	for _, d := range docs {
		(&judge{document: d, streams: o.Streams(), version: version, report: &r}).all()
	}
	switch {
	case chart:
		r.Assume(facts.T("linttraefik.chart"))
	case len(r.Listeners) == 0 && routes:
		r.Assume(facts.T("linttraefik.routing"))
	case len(r.Listeners) == 0:
		r.Assume(facts.T("linttraefik.empty"))
	}
	r.Sort()
	return r, nil
}

// read finds the options of a file, whichever syntax they are in.
func read(f lint.File) ([]document, error) {
	d := document{file: lint.Lines(f)}
	if d.node, d.args = readArgs(f); d.node != nil {
		return one(d)
	}
	if isTOML(f) {
		var err error
		if d.node, err = readTOML(f); err != nil {
			return nil, err
		}
		d.toml = true
		return one(d)
	}
	nodes, err := lint.ReadYAML(f)
	if err != nil {
		return nil, err
	}
	var docs []document
	for _, n := range nodes {
		found, err := readDocument(d.file, n)
		if err != nil {
			return nil, err
		}
		docs = append(docs, found...)
	}
	if len(docs) == 0 {
		return nil, notOurs(f)
	}
	return docs, nil
}

// readDocument finds Traefik's options in a YAML document: as they are, as values of the Helm chart, or
// as arguments of a container.
func readDocument(f *lint.Source, n *lint.Node) (docs []document, err error) {
	if values := chartOf(f, n); len(values) > 0 {
		for _, v := range values {
			docs = append(docs, fromChart(f, v))
		}
		return docs, nil
	}
	if ours(f.File, n) {
		return one(document{file: f, node: n})
	}
	a := newArguments(n.Line)
	if a.within(n); !ours(f.File, a.top) {
		return nil, nil
	}
	version, _ := lint.ImageVersion(n, "traefik")
	return []document{{file: f, node: a.top, args: a.values, version: version}}, nil
}

func one(d document) ([]document, error) {
	if what, line := versionOne(d.node); what != "" {
		return nil, lint.Refuse(d.file.Name, line, "%s belongs to Traefik 1, and lint reads the configuration of 2.x and 3.x: "+
			"migrate the file, https://doc.traefik.io/traefik/migration/v1-to-v2/", what)
	}
	if !ours(d.file.File, d.node) {
		return nil, notOurs(d.file.File)
	}
	return []document{d}, nil
}

// versionOne is an option that only Traefik 1 had, with its line (docs of 1.7, "Entry Points").
func versionOne(n *lint.Node) (string, int) {
	if f := way(n, "defaultEntryPoints"); f != nil {
		return f.Key, f.Line
	}
	if points := way(n, "entryPoints"); points != nil {
		for _, p := range points.Value.Fields {
			for _, name := range []string{"redirect", "tls", "auth", "compress", "whiteList", "whitelistSourceRange"} {
				if f := way(p.Value, name); f != nil {
					return p.Key + "." + f.Key, f.Line
				}
			}
		}
	}
	return "", 0
}

// routing reports a key of the routing configuration, which sets limits for connections to servers alone.
func routing(n *lint.Node) bool {
	for protocol, names := range map[string][]string{"http": {"routers", "services", "middlewares", "serversTransports"},
		"tcp": {"routers", "services"}, "udp": {"routers", "services"}, "tls": {"options", "stores"}} {
		for _, name := range names {
			if f := way(n, protocol, name); f != nil && f.Value.Kind == lint.Mapping {
				return true
			}
		}
	}
	return false
}

func notOurs(f lint.File) error {
	return lint.Refuse(f.Name, 0, "no Traefik configuration: no entryPoints, providers or serversTransport in it")
}

// roots are the other options at the root of the install configuration (pkg/config/static/
// static_config.go). Other programs have such names too, so that they count in a file called traefik.
var roots = []string{"global", "tcpServersTransport", "providers", "api", "metrics", "ping", "log", "accessLog", "tracing",
	"hostResolver", "experimental", "core", "spiffe", "tls"}

// ours reports a key of Traefik's install or routing configuration.
func ours(file lint.File, n *lint.Node) bool {
	block := func(name string) bool { f := way(n, name); return f != nil && f.Value.Kind == lint.Mapping }
	switch {
	case n.Kind != lint.Mapping, way(n, "apiVersion") != nil:
		return false
	case routing(n), way(n, "entryPoints") != nil, way(n, "serversTransport") != nil, way(n, "certificatesResolvers") != nil,
		block("providers"):
		return true
	}
	return strings.Contains(strings.ToLower(filepath.Base(file.Name)), "traefik") && slices.ContainsFunc(roots, block)
}

// isTOML decides by the file's name; for standard input by the first line that isn't empty or a
// comment: a [table], or `key =`.
func isTOML(f lint.File) bool {
	switch strings.ToLower(filepath.Ext(f.Name)) {
	case ".toml":
		return true
	case ".yml", ".yaml", ".json":
		return false
	}
	for _, line := range strings.Split(string(f.Data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, _, assigned := strings.Cut(line, "=")
		return line[0] == '[' && strings.HasSuffix(line, "]") || assigned && !strings.Contains(key, ":")
	}
	return false
}

// words are in every file of Traefik's, in lower case; looking for them is cheaper than reading the file.
var words = []string{"entrypoints", "serverstransport", "certificatesresolvers", "keepalivemax", "valuescontent",
	"middlewares", "routers", "clientauth", "ciphersuites", "websecure"}

// Looks reports whether a file looks like Traefik's.
func Looks(f lint.File) bool {
	lower := bytes.ToLower(f.Data)
	named := namesTraefik(f.Name)
	if !named && !slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(lower, []byte(word)) }) {
		return false
	}
	_, err := read(f)
	return err == nil || named && bytes.Contains(lower, []byte("entrypoints"))
}
