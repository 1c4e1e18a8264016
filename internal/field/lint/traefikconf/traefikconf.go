// Package traefikconf reads Traefik's configuration (YAML, TOML, or arguments of its command line) and
// reports what ends HTTP/2 connections.
package traefikconf

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"h2lab/internal/base/versions"
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

// Lint checks the files of one Traefik.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	r := lint.Report{Kind: lint.Traefik}
	version, known, err := lint.ParseVersion(o.Version)
	if err != nil {
		return r, err
	}
	var docs []document
	for _, f := range files {
		r.Files = append(r.Files, f.Name)
		found, err := read(f)
		if err != nil {
			return r, err
		}
		docs = append(docs, found...)
	}
	if known {
		r.Version = version.String()
	} else {
		version = versionOf(docs, &r)
	}
	chart, routes := false, false
	for _, d := range docs {
		routes = routes || routing(d.node)
		j := &judge{document: d, options: o, version: version, report: &r}
		j.all()
		chart = chart || d.chart
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

// versionOf is the version of the image that the files name, or else the one whose defaults are assumed.
func versionOf(docs []document, r *lint.Report) versions.Version {
	for _, d := range docs {
		if v, known, _ := lint.ParseVersion(d.version.Version); known {
			r.Version = v.String()
			r.Assume(facts.T("linttraefik.image", v.String(), d.file.Name, d.version.Line))
			return v
		}
	}
	v, _, _ := lint.ParseVersion(assumed)
	r.Assume(facts.T("linttraefik.assumed", assumed))
	return v
}

// read finds the options of a file, whichever syntax they are in.
func read(f lint.File) ([]document, error) {
	if len(f.Data) > lint.MostBytes {
		return nil, &lint.SyntaxError{
			File: f.Name,
			What: fmt.Sprintf("larger than %d MiB: give the configuration file itself", lint.MostBytes>>20),
		}
	}
	if len(bytes.TrimSpace(f.Data)) == 0 {
		return nil, &lint.SyntaxError{File: f.Name, What: "empty: there is no configuration in it"}
	}
	source := lint.Lines(f)
	if n, args := readArgs(f); n != nil {
		return one(document{file: source, node: n, args: args})
	}
	if isTOML(f) {
		n, err := readTOML(f)
		if err != nil {
			return nil, err
		}
		return one(document{file: source, node: n, toml: true})
	}
	nodes, err := lint.ReadYAML(f)
	if err != nil {
		return nil, err
	}
	var docs []document
	for _, n := range nodes {
		d, err := readDocument(source, n)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d...)
	}
	if len(docs) == 0 {
		return nil, notOurs(f)
	}
	return docs, nil
}

// readDocument finds Traefik's options in a YAML document: as they are, as values of the Helm chart, or
// as arguments of a container.
func readDocument(f *lint.Source, n *lint.Node) ([]document, error) {
	if values, is := chartOf(f, n); is {
		docs := []document{}
		for _, v := range values {
			docs = append(docs, fromChart(f, v))
		}
		return docs, nil
	}
	if ours(f.File, n) {
		if twice := n.Repeated(); len(twice) > 0 { // gopkg.in/yaml.v3, which Traefik uses, refuses it
			return nil, &lint.SyntaxError{
				File: f.Name,
				Line: twice[0].Line,
				What: fmt.Sprintf("%q is there twice in one mapping, and Traefik refuses the file", twice[0].Key),
			}
		}
		return one(document{file: f, node: n})
	}
	top, args := &lint.Node{Kind: lint.Mapping, Line: n.Line}, map[*lint.Node]bool{}
	if argsWithin(n, top, args); !ours(f.File, top) {
		return nil, nil
	}
	d := document{file: f, node: top, args: args}
	d.version, _ = lint.ImageVersion(n, "traefik")
	return []document{d}, nil
}

func one(d document) ([]document, error) {
	if what, line := versionOne(d.node); what != "" {
		return nil, &lint.SyntaxError{
			File: d.file.Name,
			Line: line,
			What: what + " belongs to Traefik 1, and lint reads the configuration of 2.x and 3.x: migrate the file, " +
				"https://doc.traefik.io/traefik/migration/v1-to-v2/",
		}
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
	return &lint.SyntaxError{
		File: f.Name,
		What: "no Traefik configuration: no entryPoints, providers or serversTransport in it",
	}
}

// roots are the other options at the root of the install configuration (pkg/config/static/
// static_config.go). Other programs have such names too, so that they count in a file called traefik.
var roots = []string{"global", "tcpServersTransport", "providers", "api", "metrics", "ping", "log", "accessLog", "tracing",
	"hostResolver", "experimental", "core", "spiffe", "tls"}

// ours reports a key of Traefik's install or routing configuration.
func ours(file lint.File, n *lint.Node) bool {
	if n.Kind != lint.Mapping || member(n, "apiVersion") != nil {
		return false
	}
	if routing(n) {
		return true
	}
	if strings.Contains(strings.ToLower(filepath.Base(file.Name)), "traefik") {
		for _, name := range roots {
			if f := way(n, name); f != nil && f.Value.Kind == lint.Mapping {
				return true
			}
		}
	}
	return way(n, "entryPoints") != nil || way(n, "serversTransport") != nil ||
		way(n, "certificatesResolvers") != nil ||
		way(n, "providers") != nil && (way(n, "providers").Value.Kind == lint.Mapping)
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
