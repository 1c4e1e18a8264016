// Package haproxyconf reads HAProxy's configuration by the grammar of its configuration manual, and
// reports what ends HTTP/2 connections from clients and to servers. Whether HAProxy takes the file is left to
// `haproxy -c`.
package haproxyconf

import (
	"bytes"
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// assumed is the HAProxy version whose defaults apply when the user gives none.
const assumed = "3.2"

//go:embed rules.toml
var rules string

// Rules are the rules of this package.
var Rules = lint.RulesIn(rules)

// Kind is HAProxy.
var Kind = lint.Kind{Name: lint.HAProxy, Looks: Looks, Lint: Lint, Rules: Rules}

// Lint checks the files of one HAProxy, in the order given.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	r := lint.NewReport(lint.HAProxy, files)
	r.Apply = "haproxy -c -f FILE && systemctl reload haproxy"
	if len(files) > 0 && bytes.Contains(files[0].Data, []byte("/usr/local/etc/haproxy")) { // a container of the official image
		r.Apply = "haproxy -c -f FILE"
	}
	c := &config{named: map[string]*section{}, globals: map[string]line{}}
	for _, f := range files {
		if err := c.read(lint.Lines(f)); err != nil {
			return r, err
		}
	}
	j := &judge{config: c, streams: o.Streams(), report: &r, backends: map[string]*section{}, reported: map[lint.Place]bool{}}
	j.version = r.For(o, c.evidence(), lint.AssumedVersion(assumed, "linthaproxy.assumed"))
	if n := len(c.conditions); n > 0 {
		first := c.conditions[0]
		r.Assume(facts.T("linthaproxy.conditions", text.Count(n), first.file.Name, first.number))
	}
	j.all()
	if len(r.Listeners) == 0 {
		r.Assume(facts.T("linthaproxy.empty"))
	}
	r.Sort()
	return r, nil
}

// Looks reports whether a file looks like HAProxy's: its first line begins a section or is a
// conditional such as .if, and it has a valid header of a global, defaults or proxy section.
func Looks(f lint.File) bool {
	sections := 0
	for n, text := range bytes.Split(f.Data, []byte("\n")) {
		words, err := split(string(text))
		if err != nil || n > 2000 {
			break
		}
		if len(words) == 0 {
			continue
		}
		first := words[0]
		if sections == 0 && !slices.Contains(kinds, first) && !strings.HasPrefix(first, ".") {
			return false
		}
		switch {
		case first == "global" && len(words) == 1, first == "defaults" && len(words) != 2,
			slices.Contains(proxies, first) && len(words) >= 2 && proxyName.MatchString(words[1]):
			return true
		case slices.Contains(kinds, first):
			sections++
		}
	}
	return false
}

// proxyName matches the proxy names that section 4 of the manual allows.
var proxyName = regexp.MustCompile(`^[A-Za-z0-9_.:-]+$`)

// judge checks a config and fills the report.
type judge struct {
	*config
	streams  int // that a client has in flight on a connection
	version  versions.Version
	report   *lint.Report
	backends map[string]*section // the sections with servers, by name
	reported map[lint.Place]bool // the lines in effect for several frontends that have a finding already
}

func (j *judge) all() {
	for _, s := range j.proxiesOf("backend", "listen") {
		j.backends[s.name] = s
	}
	j.tuning()
	for _, s := range j.proxiesOf("frontend", "listen") {
		j.frontend(s)
	}
	for _, s := range j.proxiesOf("backend", "listen") {
		if s.mode() == "http" {
			j.backend(s)
		}
	}
}

// find adds a finding at a line, with what replaces the line.
func (j *judge) find(rule string, l line, why facts.Text, fix ...string) *lint.Finding {
	j.report.Findings = append(j.report.Findings, Rules.New(rule, l.file.Name, l.number, why))
	f := &j.report.Findings[len(j.report.Findings)-1]
	if len(fix) > 0 {
		f.Found, f.Fix = l.source(), fix[0]
	}
	return f
}
