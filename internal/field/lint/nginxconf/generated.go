package nginxconf

import (
	"fmt"
	"h2lab/internal/facts"
	"regexp"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/text"
	"h2lab/internal/field/lint"
)

// generator is a program that writes nginx files and overwrites changes of them.
type generator struct {
	name string
	// mark is a text that the program writes into its files, in a comment or as a directive.
	mark *regexp.Regexp
	// where says where a change belongs, and line turns a directive into what to write there; nil keeps
	// the directive.
	where string
	line  func(block, directive, value string) string
}

// generators are tried in this order, those of any program last.
var generators = []generator{
	{"ingress-nginx", regexp.MustCompile(`(?m)^# Configuration checksum:`),
		"the controller's ConfigMap, data", ingressKey},
	{"F5's NGINX Ingress Controller", regexp.MustCompile(`(?m)^# configuration for [\w.-]+/[\w.-]+\s*$`),
		"the controller's ConfigMap, data", snippet("http-snippets: |\n  %s")},
	{"Kong", regexp.MustCompile(`(?m)^\s*upstream kong_upstream\s*\{|^\s*include '?nginx-kong\.conf'?;`),
		"kong.conf, or KONG_ and the name in capitals in the environment", kongKey},
	{"NGINX Proxy Manager", regexp.MustCompile(`(?m)^\s*set \$forward_scheme\s`),
		"/data/nginx/custom/server_proxy.conf, or the host's tab Advanced", nil},
	{"nginx-proxy", regexp.MustCompile(`(?m)^# nginx-proxy\b`),
		"/etc/nginx/vhost.d/default or /etc/nginx/proxy.conf of the container", nil},
	{"Omnibus GitLab", regexp.MustCompile(`(?mi)^#.*managed by gitlab-ctl`),
		"/etc/gitlab/gitlab.rb, then gitlab-ctl reconfigure", snippet("nginx['custom_gitlab_server_config'] = %q")},
	{"another program", regexp.MustCompile(`(?mi)^\s*#.*(do not (edit|modify|change)|don't edit|(automatically|auto-?) ?generated` +
		`|generated automatically|managed by (ansible|puppet|chef|salt|terraform|plesk|cpanel)|ansible managed` +
		`|changes (here |to this file )?will be (lost|overwritten|erased))`),
		"the template that it is made from", nil},
}

// head bounds the part of a file that is searched for a generator's mark.
const head = 64 << 10

// generatorOf is the program that writes a file; nil when none is known.
func generatorOf(data []byte) *generator {
	for i, g := range generators {
		part := data[:min(len(data), head)]
		if i == len(generators)-1 { // a comment at the top speaks of the whole file
			part = data[:min(len(data), 1024)]
		}
		if g.mark.Match(part) {
			return &generators[i]
		}
	}
	return nil
}

// generated moves the fixes of generated files to where the program takes them from.
func generated(report *lint.Report, l *nginxfile.Tree) {
	report.Generated = map[string]facts.Text{}
	by := map[string]*generator{}
	files := map[*generator][]string{}
	for _, name := range l.Files {
		if g := generatorOf(l.Data[name]); g != nil {
			by[name] = g
			report.Generated[name] = facts.Verbatim(g.name)
			files[g] = append(files[g], name)
		}
	}
	for i := range generators {
		if g := &generators[i]; len(files[g]) > 0 {
			report.Assume(facts.Verbatim(fmt.Sprintf("%s writes %s: changes belong in %s.", text.Capital(g.name),
				enumerated(files[g]), g.where)))
		}
	}
	for i := range report.Findings {
		f := &report.Findings[i]
		g := by[f.File]
		if g == nil || len(f.Edits) == 0 {
			continue
		}
		f.Add(facts.Verbatim(fmt.Sprintf("%s writes this file: make the change in %s.", text.Capital(g.name), g.where)))
		if g.line != nil {
			f.Fix = g.fix(f.Edits)
			f.Found = ""
		}
		f.Edits = nil
	}
}

// fix is the text for the generator's own settings.
func (g *generator) fix(edits []lint.Edit) string {
	var out []string
	for _, e := range edits {
		name, value, _ := strings.Cut(strings.TrimSuffix(e.Text, ";"), " ")
		if line := g.line(e.Block, name, value); name != "" && line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// ingressKeys are the keys of ingress-nginx's ConfigMap that write a directive (its config.go); those of
// upstream blocks have names of their own.
var ingressKeys = map[string]string{
	"keepalive_requests": "keep-alive-requests", "keepalive_timeout": "keep-alive",
	"http2_max_concurrent_streams": "http2-max-concurrent-streams", "worker_connections": "max-worker-connections",
	"ssl_session_tickets": "ssl-session-tickets", "keepalive": "upstream-keepalive-connections",
}

var ingressUpstreamKeys = map[string]string{
	"keepalive_requests": "upstream-keepalive-requests", "keepalive_timeout": "upstream-keepalive-timeout",
	"keepalive_time": "upstream-keepalive-time",
}

func ingressKey(block, directive, value string) string {
	key := ingressKeys[directive]
	if block == "upstream" {
		key = ingressUpstreamKeys[directive]
	}
	if directive == "keepalive_timeout" || strings.HasSuffix(key, "upstream-keepalive-timeout") {
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
	prefix := "nginx_proxy_"
	if directive == "worker_connections" {
		prefix = "nginx_events_"
	}
	return fmt.Sprintf("%s%s = %s", prefix, directive, value)
}

func snippet(format string) func(_, directive, value string) string {
	return func(_, directive, value string) string { return fmt.Sprintf(format, directive+" "+value+";") }
}
