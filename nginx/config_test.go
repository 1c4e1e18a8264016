// Package nginx_test compares nginx's configurations with each other and with the servers that
// internal/lab/plan makes of them. With the tag integration, the real nginx loads them.
package nginx_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tufanbarisyildirim/gonginx/config"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// limitLine is the only line with the limit; launch replaces its number for LIMIT=n.
var limitLine = regexp.MustCompile(`(?m)^ +keepalive_requests (\d+); # the limit$`)

func TestEveryFileKeepsTheRules(t *testing.T) { rules.AreKept(t) }

// Each rule is tested with a file that breaks it, because a rule that accepts every file proves
// nothing.
func TestEachRuleNoticesTheFileThatBreaksIt(t *testing.T) {
	rules.Notice(t, "keepalive-1000.conf", []labtest.Break{
		{" # the limit", "", "the limit's line"},
		{"keepalive_requests 1000; #", "keepalive_requests 100; #", "the limit is 100"},
		{"keepalive_requests 1000; # the limit", "", "the limit's line"},
		{"proxy_http_version 1.1;", "", "proxy_http_version"},
		{`proxy_set_header Connection "";`, "", "Connection"},
		{"proxy_ssl_verify on;", "proxy_ssl_verify off;", "proxy_ssl_verify"},
		{"proxy_ssl_name localhost;", "", "proxy_ssl_name"},
		{"../certs/out/ca.crt", "/etc/ca.crt", "proxy_ssl_trusted_certificate"},
		{"proxy_next_upstream off;", "", "proxy_next_upstream"},
		{"proxy_pass https:", "proxy_pass http:", "proxy_pass"},
		{"listen 127.0.0.1:18102", "listen 18102", "counters"},
		{"listen 127.0.0.1:18101", "listen 18101", "front"},
		{"$asked_port != $server_port", "$asked_port = $server_port", "$asked_port"},
		{"if ($from_page) {", "if ($arg_x) {", "$from_page"},
		{"default     1;", "default     0;", "$from_page > default 1"},
		{"localhost|\\[::1\\]", ".*", "$asked_port >"},
		{"keepalive 1024;", "keepalive 32;", "upstream backend: keepalive"},
		{"upstream grpc {\n        server 127.0.0.1:18443", "upstream grpc {\n        server 127.0.0.1:18090",
			"upstream grpc: not"},
		{"grpc_pass grpcs://grpc;", "grpc_pass grpcs://backend;", "grpc_pass"},
		{"grpc_pass grpcs://grpc;", "grpc_pass grpc://grpc;", "grpc_pass"},
		{"grpc_ssl_verify on;", "", "grpc_ssl_verify"},
		{"grpc_next_upstream off;", "", "grpc_next_upstream"},
		{"location /h2lab.Echo/", "location /h2lab", "the location is"},
		{"http2_max_concurrent_streams 128;", "http2_max_concurrent_streams 256;", "http2_max_concurrent_streams"},
		{"ssl_protocols TLSv1.2 TLSv1.3;\n        ssl_ciphers", "ssl_protocols TLSv1.3;\n        ssl_ciphers",
			"ssl_protocols"},
		{"if=$first_request", "", "access_log"},
		{"if=$counted_request", "", "access_log"},
		{"daemon off;", "", "daemon"},
		{"default_type", "include mime.types; default_type", "include"},
		{"pid var/nginx-1000.pid", "pid /run/nginx.pid", "pid"},
		{"scgi_temp_path var/nginx.tmp;", "", "scgi_temp_path"},
	})
}

// problems returns the rules that a configuration breaks.
func problems(t testing.TB, text string, f file) []string {
	t.Helper()
	var out []string
	complain := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	expect := func(where string, d config.IDirective, name, want string) {
		if got := said(d, name); got != want {
			complain("%s: %s is %q, not %q", where, name, got, want)
		}
	}
	top := parse(t, text)
	root := &config.Directive{Block: top.Block}
	for name, want := range map[string]string{"daemon": "off", "worker_processes": "1", "pid": "var/" + f.name + ".pid",
		"error_log": "stderr warn"} {
		expect("top", root, name, want)
	}
	if len(all(top, "include")) > 0 {
		complain("an include: these are whole files")
	}
	for _, name := range []string{"client_body_temp_path", "proxy_temp_path", "fastcgi_temp_path", "uwsgi_temp_path",
		"scgi_temp_path"} {
		if d := all(top, name); len(d) != 1 || words(d[0]) != "var/nginx.tmp" {
			complain("%s is not var/nginx.tmp, and so not where anyone may write", name)
		}
	}
	if found := limitLine.FindAllStringSubmatch(text, -1); len(found) != 1 || strings.Count(text, "# the limit") != 1 {
		complain("the limit's line is there %d times, not once", len(found))
	} else if found[0][1] != f.limit {
		complain("the limit is %s, not %s", found[0][1], f.limit)
	}
	servers := all(top, "server")
	servers = slices.DeleteFunc(servers, func(d config.IDirective) bool { return d.GetBlock() == nil })
	if len(servers) != 2 {
		return append(out, fmt.Sprintf("%d servers, not a front and its counters", len(servers)))
	}
	frontRules(servers[0], f, complain, expect)
	countersRules(servers[1], f, complain, expect)
	pageRules(top, servers[1], complain)
	upstreamRules(top, f, complain, expect)
	return out
}

type (
	complainer func(format string, args ...any)
	expecter   func(where string, d config.IDirective, name, want string)
)

func frontRules(front config.IDirective, f file, complain complainer, expect expecter) {
	listen := strings.Fields(said(front, "listen"))
	if len(listen) == 0 || listen[0] != "127.0.0.1:"+f.front || !slices.Contains(listen, "ssl") {
		complain("front: listens on %q, not on 127.0.0.1:%s with ssl", listen, f.front)
	}
	if !strings.Contains(said(front, "listen"), "http2") && said(front, "http2") != "on" {
		complain("front: no HTTP/2")
	}
	for name, want := range map[string]string{
		"ssl_protocols": "TLSv1.2 TLSv1.3", "ssl_session_cache": "none", "ssl_session_tickets": "on",
		"ssl_early_data":  "off",
		"ssl_certificate": "../certs/out/server.crt", "ssl_certificate_key": "../certs/out/server.key",
		"keepalive_requests": f.limit, "keepalive_time": "1h", "keepalive_timeout": "75s", "lingering_close": "on",
		"http2_max_concurrent_streams": strconv.Itoa(facts.MaxConcurrentStreams),
		"access_log": "var/" + f.name +
			".used.log used if=$first_request & var/hundreds.log counted if=$counted_request",
	} {
		expect("front", front, name, want)
	}
	health, proxied, calls := 0, 0, 0
	for _, location := range all(front.GetBlock(), "location") {
		if words(location) == "= /lab/health" && said(location, "return") != "" {
			health++
		}
		if said(location, "proxy_pass") != "" {
			proxied++
			locationRules(location, f, complain, expect)
		}
		if said(location, "grpc_pass") != "" {
			calls++
			grpcRules(location, complain, expect)
		}
	}
	if health != 1 || proxied != 1 || calls != 1 {
		complain("front: %d locations answer /lab/health, %d are proxied and %d are gRPC, not one of each", health,
			proxied, calls)
	}
}

// locationRules require the directives that old and new nginx versions interpret differently: 1.22
// and 1.31 agree only where both lines are present.
func locationRules(location config.IDirective, f file, complain complainer, expect expecter) {
	if !strings.HasPrefix(said(location, "proxy_pass"), "https://") {
		complain("location: proxy_pass %q is not TLS", said(location, "proxy_pass"))
	}
	if headers := said(location, "proxy_set_header"); !strings.Contains(headers, `Connection ""`) {
		complain("location: proxy_set_header Connection is not stated as empty in %q", headers)
	}
	for name, want := range map[string]string{
		"proxy_http_version": f.protocol, "proxy_ssl_verify": "on", "proxy_ssl_name": "localhost",
		"proxy_ssl_server_name":         "on",
		"proxy_ssl_trusted_certificate": "../certs/out/ca.crt", "proxy_ssl_session_reuse": "on",
		"proxy_ssl_protocols": "TLSv1.2 TLSv1.3",
		"proxy_next_upstream": "off", "proxy_buffering": "on", "proxy_request_buffering": "on",
	} {
		expect("location", location, name, want)
	}
}

// grpcRules require the same settings of TLS, retries and time-outs for gRPC as in the proxied
// location.
func grpcRules(location config.IDirective, complain complainer, expect expecter) {
	if words(location) != "/h2lab.Echo/" {
		complain("gRPC: the location is %q", words(location))
	}
	for name, want := range map[string]string{
		"grpc_pass": "grpcs://grpc", "grpc_set_header": "Host $host", "grpc_ssl_verify": "on",
		"grpc_ssl_verify_depth": "1",
		"grpc_ssl_name":         "localhost", "grpc_ssl_server_name": "on",
		"grpc_ssl_trusted_certificate": "../certs/out/ca.crt",
		"grpc_ssl_session_reuse":       "on", "grpc_ssl_protocols": "TLSv1.2 TLSv1.3", "grpc_next_upstream": "off",
		"grpc_connect_timeout": "5s", "grpc_send_timeout": "60s", "grpc_read_timeout": "60s",
	} {
		expect("gRPC", location, name, want)
	}
}

func countersRules(counters config.IDirective, f file, complain complainer, expect expecter) {
	expect("counters", counters, "listen", f.counters)
	expect("counters", counters, "access_log", "off")
	expect("counters", counters, "keepalive_timeout", "1h")
	for _, location := range all(counters.GetBlock(), "location") {
		if len(all(location.GetBlock(), "stub_status")) == 1 && words(location) == "= /stub_status" {
			return
		}
	}
	complain("counters: no stub_status at /stub_status")
}

// pageRules require that the counters reject requests that a web page can send. The tests of
// internal/lab/native show how real nginx applies these lines.
func pageRules(top *config.Config, counters config.IDirective, complain complainer) {
	has := flat(&config.Block{Directives: append(all(top, "map"), all(counters.GetBlock(), "if")...)}, "")
	for _, want := range []string{
		`> map $http_host $asked_port > "~*^(?:127\.0\.0\.1|localhost|\[::1\]):(?<named_port>[0-9]+)$" $named_port`,
		"> map $http_origin$http_sec_fetch_site $from_page > default 1",
		`> map $http_origin$http_sec_fetch_site $from_page > "" 0`,
		"> map $http_origin$http_sec_fetch_site $from_page > none 0",
		"> map $http_origin$http_sec_fetch_site $from_page > same-origin 0",
		"> if ($asked_port != $server_port) > return 403",
		"> if ($from_page) > return 403",
	} {
		if !slices.ContainsFunc(has, func(line string) bool { return strings.HasPrefix(line, want) }) {
			complain("counters: no line %q", want)
		}
	}
}

// upstreamRules require two upstreams of the same server, so that kept connections of h1 and h2 are
// never in one pool.
func upstreamRules(top *config.Config, f file, complain complainer, expect expecter) {
	upstreams := all(top, "upstream")
	if len(upstreams) != 2 || words(upstreams[1]) != "grpc" || words(upstreams[0]) == "grpc" {
		complain("upstreams: %d, not the proxied one and then grpc", len(upstreams))
		return
	}
	for _, u := range upstreams {
		where := "upstream " + words(u)
		if server := all(u.GetBlock(), "server"); len(server) != 1 || words(server[0]) != f.upstream+" max_fails=0" {
			complain("%s: not %s alone", where, f.upstream)
		}
		if kept, err := strconv.Atoi(said(u, "keepalive")); err != nil || kept < 1000 {
			complain("%s: keepalive %q keeps fewer connections than CONCURRENCY may be", where, said(u, "keepalive"))
		}
		for name, want := range map[string]string{"keepalive_requests": "1000000000", "keepalive_time": "240h",
			"keepalive_timeout": "5m"} {
			expect(where, u, name, want)
		}
	}
}
