package nginxconf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// at is a finding at a directive that the fix replaces: by its first line, with the others behind it. An
// empty fix deletes the directive.
func at(r lint.Rule, d *nginxfile.Directive, fix string, why ...facts.Text) lint.Finding {
	f := r.New(d.File, d.Line, why...)
	f.Column, f.Found, f.Fix = d.Column, d.Text(), fix
	first, rest, _ := strings.Cut(fix, "\n")
	edit := replaced(d, first)
	edit.Block = blockName(d.Parent)
	if fix == "" {
		edit.Kind = lint.Delete
	} else if sets(first) != d.Name {
		edit.Key = blockKey(d.Parent, d.File) + sets(first)
	}
	f.Edits = append([]lint.Edit{edit}, added(d, rest)...)
	return f
}

func replaced(d *nginxfile.Directive, line string) lint.Edit {
	return lint.Edit{Kind: lint.Replace, File: d.File, From: d.From, To: d.To, Text: line, Key: keyOf(d)}
}

// in is a finding at a directive that stays: the fix goes beside it, or inside it when it is a block.
func in(r lint.Rule, d *nginxfile.Directive, fix string, why ...facts.Text) lint.Finding {
	f := r.New(d.File, d.Line, why...)
	f.Column = d.Column
	if fix == "" {
		return f
	}
	indent := "\n"
	if d.HasBlock {
		indent = "\n    "
	}
	f.Found = d.Text()
	f.Fix = f.Found + indent + strings.ReplaceAll(fix, "\n", indent)
	f.Edits = added(d, fix)
	return f
}

// added are the edits that put lines beside a directive, or into it when it is a block.
func added(d *nginxfile.Directive, lines string) []lint.Edit {
	edit := lint.Edit{Kind: lint.After, File: d.File, From: d.From, To: d.To, Block: blockName(d.Parent)}
	block := blockKey(d.Parent, d.File)
	if d.HasBlock {
		edit.Kind, block, edit.Block = lint.Inside, blockKey(d, d.File), d.Name
	}
	var out []lint.Edit
	for line := range strings.Lines(lines) {
		edit.Text = strings.TrimRight(line, "\n")
		edit.Key = block + sets(edit.Text)
		out = append(out, edit)
	}
	return out
}

// sets is what a line sets: its directive, and of those that a block may have several times the first
// argument too.
func sets(line string) string {
	words := strings.Fields(strings.TrimSuffix(line, ";"))
	if len(words) > 1 && slices.Contains([]string{"proxy_set_header", "grpc_set_header", "listen", "upstream"}, words[0]) {
		return words[0] + " " + words[1]
	}
	return strings.Join(words[:min(len(words), 1)], "")
}

func blockName(block *nginxfile.Directive) string {
	if block == nil {
		return ""
	}
	return block.Name
}

func keyOf(d *nginxfile.Directive) string { return fmt.Sprintf("%s:%d", d.File, d.From) }

func blockKey(block *nginxfile.Directive, file string) string {
	if block == nil {
		return file + " "
	}
	return keyOf(block) + " "
}

// setter is the finding whose fix sets something, and the edit that does.
type setter struct {
	finding int
	edit    lint.Edit
}

// settle makes the findings fit together: of those that say the same, one stays and names the other
// places; and what one finding sets, no other sets again, so that all fixes can be applied at once.
func settle(found []lint.Finding) []lint.Finding {
	type same struct {
		rule, why, found, fix string
		severity              lint.Severity
	}
	var out []lint.Finding
	first := map[same]int{}
	setBy := map[string]setter{}
	for _, f := range found {
		k := same{f.Rule, f.Why.String(), f.Found, f.Fix, f.Severity}
		if i, again := first[k]; again {
			if f.Place() != out[i].Place() && !slices.Contains(out[i].Also, f.Place()) {
				out[i].Also = append(out[i].Also, f.Place())
				out[i].Edits = append(out[i].Edits, f.Edits...)
			}
			continue
		}
		first[k] = len(out)
		by, taken, enough := setElsewhere(f, setBy)
		if taken {
			if place := out[by].Place(); enough {
				f.Add(facts.T("nginx.mended-by", place.File, place.Line))
			} else {
				f.Add(facts.T("nginx.mend-first", place.File, place.Line))
			}
			f.Found, f.Fix, f.Edits = "", "", nil
		}
		for _, e := range f.Edits {
			if _, taken := setBy[e.Key]; !taken {
				setBy[e.Key] = setter{len(out), e}
			}
		}
		out = append(out, f)
	}
	return out
}

// setElsewhere reports whether an earlier finding's fix sets what one of f's edits sets. The earlier
// one is enough when it has all of f's lines.
func setElsewhere(f lint.Finding, setBy map[string]setter) (by int, taken, enough bool) {
	same := 0
	for _, e := range f.Edits {
		if s, is := setBy[e.Key]; is {
			by, taken = s.finding, true
			if s.edit == e {
				same++
			}
		}
	}
	return by, taken, same == len(f.Edits)
}

// generator is a program that writes nginx files and overwrites changes of them.
type generator struct {
	name facts.Text
	// mark is a text that the program writes into its files, in a comment or as a directive.
	mark *regexp.Regexp
	// where says where a change belongs, and line turns a directive into what to write there; nil keeps
	// the directive.
	where facts.Text
	line  func(block, directive, value string) string
}

// generators are tried in this order, those of any program last.
var generators = []generator{
	{facts.Verbatim("ingress-nginx"), regexp.MustCompile(`(?m)^# Configuration checksum:`), facts.T("nginx.in-configmap"), ingressKey},
	{facts.T("nginx.f5"), regexp.MustCompile(`(?m)^# configuration for [\w.-]+/[\w.-]+\s*$`), facts.T("nginx.in-configmap"),
		snippet("http-snippets: |\n  %s")},
	{facts.Verbatim("Kong"), regexp.MustCompile(`(?m)^\s*upstream kong_upstream\s*\{|^\s*include '?nginx-kong\.conf'?;`),
		facts.T("nginx.in-kong"), kongKey},
	{facts.Verbatim("NGINX Proxy Manager"), regexp.MustCompile(`(?m)^\s*set \$forward_scheme\s`), facts.T("nginx.in-manager"), nil},
	{facts.Verbatim("nginx-proxy"), regexp.MustCompile(`(?m)^# nginx-proxy\b`), facts.T("nginx.in-proxy"), nil},
	{facts.Verbatim("Omnibus GitLab"), regexp.MustCompile(`(?mi)^#.*managed by gitlab-ctl`), facts.T("nginx.in-gitlab"),
		snippet("nginx['custom_gitlab_server_config'] = %q")},
	{facts.T("nginx.another-program"), regexp.MustCompile(`(?mi)^\s*#.*(do not (edit|modify|change)|don't edit|` +
		`(automatically|auto-?) ?generated|generated automatically|managed by (ansible|puppet|chef|salt|terraform|plesk|cpanel)|` +
		`ansible managed|changes (here |to this file )?will be (lost|overwritten|erased))`), facts.T("nginx.in-template"), nil},
}

// generatorOf is the program that writes a file; nil when none is known. Its mark is near the top, and a comment that
// speaks of the whole file at the very top.
func generatorOf(data []byte) *generator {
	for i := range generators {
		head := 64 << 10
		if i == len(generators)-1 {
			head = 1 << 10
		}
		if generators[i].mark.Match(data[:min(len(data), head)]) {
			return &generators[i]
		}
	}
	return nil
}

// generated moves the fixes of generated files to where the program takes them from.
func generated(report *lint.Report, l *nginxfile.Tree) {
	report.Generated = map[string]facts.Text{}
	by, files := map[string]*generator{}, map[*generator][]string{}
	for _, name := range l.Files {
		if g := generatorOf(l.Data[name]); g != nil {
			by[name], files[g], report.Generated[name] = g, append(files[g], name), g.name
		}
	}
	for i := range generators {
		if g := &generators[i]; len(files[g]) > 0 {
			report.Assume(facts.T("nginx.generated", enumerated(files[g]), g.where, g.name))
		}
	}
	for i := range report.Findings {
		f := &report.Findings[i]
		g := by[f.File]
		if g == nil || len(f.Edits) == 0 {
			continue
		}
		f.Add(facts.T("nginx.change-in", g.where, g.name))
		if g.line != nil {
			f.Found, f.Fix = "", g.fix(f.Edits)
		}
		f.Edits = nil
	}
}

// fix is the text for the generator's own settings.
func (g *generator) fix(edits []lint.Edit) string {
	var out []string
	for _, e := range edits {
		name, value, _ := strings.Cut(strings.TrimSuffix(e.Text, ";"), " ")
		if name != "" {
			out = append(out, g.line(e.Block, name, value))
		}
	}
	return strings.Join(out, "\n")
}

// ingressKeys are the keys of ingress-nginx's ConfigMap that write a directive (its config.go).
var ingressKeys = map[string]string{
	"keepalive_requests": "keep-alive-requests", "keepalive_timeout": "keep-alive",
	"http2_max_concurrent_streams": "http2-max-concurrent-streams", "worker_connections": "max-worker-connections",
	"ssl_session_tickets": "ssl-session-tickets", "keepalive": "upstream-keepalive-connections",
	"upstream/keepalive": "upstream-keepalive-connections", "upstream/keepalive_requests": "upstream-keepalive-requests",
	"upstream/keepalive_timeout": "upstream-keepalive-timeout", "upstream/keepalive_time": "upstream-keepalive-time",
}

func ingressKey(block, directive, value string) string {
	key := ingressKeys[directive]
	if block == "upstream" {
		key = ingressKeys["upstream/"+directive]
	}
	if directive == "keepalive_timeout" {
		value = strings.TrimSuffix(value, "s") // the controller's numbers are seconds
	}
	if key == "" {
		return fmt.Sprintf("http-snippet: |\n  %s %s;", directive, value)
	}
	return fmt.Sprintf("%s: %q", key, value)
}

// kongKey injects a directive into Kong's proxy server (Kong's documentation, "Injecting individual
// Nginx directives").
func kongKey(_, directive, value string) string {
	if directive == "worker_connections" {
		return fmt.Sprintf("nginx_events_%s = %s", directive, value)
	}
	return fmt.Sprintf("nginx_proxy_%s = %s", directive, value)
}

func snippet(format string) func(_, directive, value string) string {
	return func(_, directive, value string) string { return fmt.Sprintf(format, directive+" "+value+";") }
}
