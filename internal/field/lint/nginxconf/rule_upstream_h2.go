package nginxconf

import (
	"fmt"
	"slices"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

var upstreamH2 = rule{lint.Rule{
	ID: "nginx/upstream-h2-goaway", Severity: lint.Warning,
	Title: "A GOAWAY of the upstream becomes a 502",
	Help: "As a client of HTTP/2 (proxy_http_version 2 since 1.29.4, grpc_pass) nginx takes a GOAWAY that leaves its " +
		"request out for an invalid answer, although such a request was never processed. proxy_next_upstream doesn't " +
		"retry that unless it says invalid_header, and needs a second server and, for POST, non_idempotent. Let " +
		"nginx renew first: keepalive_requests and keepalive_timeout in the upstream block below the limits " +
		"of the server behind.",
	Docs: "https://github.com/nginx/nginx/issues/1431; src/http/modules/ngx_http_proxy_v2_module.c",
}, checkUpstreamH2}

func checkUpstreamH2(c *config, r lint.Rule) []lint.Finding {
	var out []lint.Finding
	for _, p := range c.passes {
		version, by := c.httpVersion(p)
		retry := "proxy_next_upstream"
		if p.d.Name == "grpc_pass" {
			retry = "grpc_next_upstream"
		} else if version != "2" || !c.release.AtLeast(1, 29, 4) {
			continue
		}
		if p.pool == nil || c.kept(p.pool).connections == 0 || c.retries(p, retry) {
			continue // a connection for one request never reaches a limit
		}
		out = append(out, c.goaway(r, p, by, retry))
	}
	return out
}

// goaway is the finding for one pass. When the server behind it is in this configuration, its limits
// are known and the fix has a number.
func (c *config) goaway(r lint.Rule, p *pass, by *nginxfile.Directive, retry string) lint.Finding {
	why := fmt.Sprintf("When a server of %q ends a connection with GOAWAY while nginx's next request is on its way, "+
		"the client gets 502.", p.pool.name)
	for _, b := range c.behind(p) {
		n, k := b.limit.Requests, c.kept(p.pool).requests
		if n == nil || k.Requests == nil || *k.Requests < *n {
			continue
		}
		why += fmt.Sprintf(" %s:%d behind it does so at %d requests (%s), and nginx sends up to %d (%s) on "+
			"a connection.", b.s.d.File, b.s.d.Line, *n, b.limit.From, *k.Requests, k.From)
		return c.poolLine(r, p.pool, "keepalive_requests", why, fmt.Sprint(max(*n*9/10, 1)))
	}
	where := p.d
	if by != nil && p.d.Name == "proxy_pass" {
		where = by
	}
	fix := retry + " error timeout invalid_header;"
	if len(p.pool.d.All("server")) < 2 {
		why += " There is no second server to send it to again: let nginx renew first, with keepalive_requests and " +
			"keepalive_timeout in the upstream block below the limits of the server behind."
		fix = ""
	}
	f := in(r, where, why, fix)
	f.Severity = lint.Note
	return f
}

// retries reports whether nginx sends a request again, to another server, when a GOAWAY left it out.
func (c *config) retries(p *pass, name string) bool {
	for _, d := range c.inherits(p.d, name) {
		said := slices.ContainsFunc(d.Args, func(w nginxfile.Word) bool { return w.Text == "invalid_header" })
		return said && len(p.pool.d.All("server")) > 1
	}
	return false
}
