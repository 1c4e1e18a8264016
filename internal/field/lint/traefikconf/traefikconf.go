// Package traefikconf reads Traefik's configuration (YAML, TOML, or arguments of its command line) and
// reports what ends HTTP/2 connections.
package traefikconf

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"h2lab/internal/field/lint"
)

// assumed is the Traefik version whose defaults apply when the user gives none.
const assumed = "2.11"

// document is the content of one file as Traefik's own tree of options.
type document struct {
	file *lint.Source
	node *lint.Node
	args bool // whether it consists of arguments: a fix then is an argument
	toml bool
}

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
		version, _, _ = lint.ParseVersion(assumed)
		r.Assumed = append(r.Assumed, "Traefik "+assumed+" or newer is assumed: give --version")
	}
	for _, d := range docs {
		j := &judge{document: d, options: o, version: version, report: &r}
		j.all()
	}
	if len(r.Listeners) == 0 {
		r.Assumed = append(r.Assumed, "no entry point is in these files; without any Traefik listens on :80 with its "+
			"defaults, which set no limit")
	}
	r.Sort()
	return r, nil
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
	if n := readArgs(f); n != nil {
		return one(document{file: source, node: n, args: true})
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
		if ours(n) {
			docs = append(docs, document{file: source, node: n})
			continue
		}
		top := &lint.Node{Kind: lint.Mapping, Line: n.Line}
		if argsWithin(n, top); ours(top) {
			docs = append(docs, document{file: source, node: top, args: true})
		}
	}
	if len(docs) == 0 {
		return nil, notOurs(f)
	}
	return docs, nil
}

func one(d document) ([]document, error) {
	if !ours(d.node) {
		return nil, notOurs(d.file.File)
	}
	return []document{d}, nil
}

func notOurs(f lint.File) error {
	return &lint.SyntaxError{
		File: f.Name,
		What: "no Traefik configuration: no entryPoints, providers or serversTransport in it",
	}
}

// ours reports a key of Traefik's install or routing configuration.
func ours(n *lint.Node) bool {
	if n.Kind != lint.Mapping {
		return false
	}
	if way(n, "http", "routers") != nil || way(n, "http", "services") != nil ||
		way(n, "http", "serversTransports") != nil {
		return true
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

// Looks reports whether a file looks like Traefik's.
func Looks(f lint.File) bool {
	lower := bytes.ToLower(f.Data)
	if !bytes.Contains(lower, []byte("entrypoints")) && !bytes.Contains(lower, []byte("serverstransport")) &&
		!bytes.Contains(lower, []byte("certificatesresolvers")) {
		return false
	}
	_, err := read(f)
	return err == nil || strings.Contains(strings.ToLower(filepath.Base(f.Name)), "traefik")
}
