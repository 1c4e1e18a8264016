package nginxconf

import (
	"fmt"
	"regexp"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

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
