package nginxconf

import (
	"fmt"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var missingSemicolon = rule{lint.Rule{
	ID: "nginx/missing-semicolon", Severity: lint.Error,
	Title: "A directive has swallowed the next one: a semicolon is missing",
	Help: "Without its `;` a directive goes on through the next line, which becomes arguments. nginx mostly refuses " +
		"it; where any number of arguments is allowed, as in server_name, the second directive is silently " +
		"without effect.",
	Docs: "nginx src/core/ngx_conf_file.c: ngx_conf_read_token",
}, checkMissingSemicolon}

// neverArguments are directives whose names are never arguments of another directive.
var neverArguments = map[string]bool{
	"listen":                       true,
	"server_name":                  true,
	"proxy_pass":                   true,
	"grpc_pass":                    true,
	"proxy_http_version":           true,
	"proxy_set_header":             true,
	"keepalive_requests":           true,
	"keepalive_time":               true,
	"keepalive_timeout":            true,
	"keepalive_min_timeout":        true,
	"http2_max_concurrent_streams": true,
	"http2_max_requests":           true,
	"ssl_certificate":              true,
	"ssl_certificate_key":          true,
	"ssl_session_cache":            true,
	"ssl_session_tickets":          true,
	"worker_connections":           true,
	"access_log":                   true,
	"error_log":                    true,
}

// seldomArguments are directives whose names could be an argument, such as a host called index. They
// count at the beginning of a line with an argument of their own behind them.
var seldomArguments = map[string]bool{
	"alias": true, "add_header": true, "autoindex": true, "charset": true, "client_max_body_size": true, "error_page": true,
	"fastcgi_pass": true, "gzip": true, "include": true, "index": true, "location": true, "proxy_redirect": true, "resolver": true,
	"return": true, "rewrite": true, "root": true, "sendfile": true, "ssl_ciphers": true, "ssl_protocols": true, "try_files": true,
	"upstream": true, "uwsgi_pass": true, "worker_processes": true,
}

func checkMissingSemicolon(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	c.top.Walk(func(d *nginxfile.Directive) {
		if d == c.top || !c.directivePlace(d) {
			return
		}
		line := d.Line
		for i, w := range d.Args {
			follows := i+1 < len(d.Args) && d.Args[i+1].Line == w.Line
			if w.Line > line && !w.Quoted && (neverArguments[w.Text] || follows && seldomArguments[w.Text]) {
				f := in(r, d, fmt.Sprintf("%s goes on into line %d, where %s begins: put a `;` at the end of line %d.",
					d.Name, w.Line, w.Text, line), "")
				f.Line, f.Column = line, 0
				out = append(out, f)
				return
			}
			line = w.Line
		}
	})
	return out
}
