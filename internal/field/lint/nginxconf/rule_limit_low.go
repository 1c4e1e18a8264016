package nginxconf

import "h2lab/internal/field/lint"

var limitLow = rule{lint.Rule{
	ID: "nginx/limit-low", Severity: lint.Warning,
	Title: "HTTP/2 connections are renewed often",
	Help: "Each renewal drops the streams that were sent after the last request that counted, and clients that dial " +
		"for each waiting request open a connection for every one of them. Raise keepalive_requests: the number of " +
		"renewals falls with it, and keepalive_time still bounds a connection's age.",
	Docs: docs + "ngx_http_core_module.html#keepalive_requests",
}, func(c *config, r lint.Rule) []lint.Finding { return c.limits(r, lint.Warning) }}
