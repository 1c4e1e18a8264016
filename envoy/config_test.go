// Package envoy_test compares Envoy's configurations with each other and with the servers that
// internal/lab/plan makes of them. With the tag integration, the real Envoy validates them.
package envoy_test

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// limitLine is the only line with the limit; launch replaces its number for LIMIT=n.
var limitLine = regexp.MustCompile(`(?m)^ +max_requests_per_connection: (\d+) # the limit$`)

const (
	front    = "static_resources/listeners/0/"
	manager  = front + "filter_chains/0/filters/0/"
	tls      = front + "filter_chains/0/transport_socket/"
	counters = "static_resources/listeners/1/"
	allowed  = counters + "filter_chains/0/filters/0/route_config/virtual_hosts/0/"
	others   = counters + "filter_chains/0/filters/0/route_config/virtual_hosts/1/"
	cluster  = "static_resources/clusters/0/"
	upstream = cluster + "typed_extension_protocol_options/envoy.extensions.upstreams.http.v3.HttpProtocolOptions/"

	upstreamALPN = cluster + "transport_socket/common_tls_context/alpn_protocols/0"
	upstreamPort = cluster + "load_assignment/endpoints/0/lb_endpoints/0/endpoint/address/socket_address/port_value"
)

// adminCluster is the cluster to which the counters' listener forwards.
const adminCluster = "static_resources/clusters/1/load_assignment/endpoints/0/lb_endpoints/0/endpoint/address/pipe/"

func TestEveryFileKeepsTheRules(t *testing.T) { rules.AreKept(t) }

// Each rule is tested with a file that breaks it, because a rule that accepts every file proves
// nothing.
func TestEachRuleNoticesTheFileThatBreaksIt(t *testing.T) {
	rules.Notice(t, "max-requests-1000.yaml", []labtest.Break{
		{" # the limit", "", "the limit's line"},
		{"max_requests_per_connection: 1000 #", "max_requests_per_connection: 100 #", "the limit is 100"},
		{"explicit_http_config:\n", "explicit_http_config: {}\n        was:\n", "http2_protocol_options"},
		{"  idle_timeout: 300s ", "  max_requests_per_connection: 7\n          idle_timeout: 300s ",
			"the limit is there 2 times"},
		{"{address: 127.0.0.1, port_value: 18132}", "{address: 0.0.0.0, port_value: 18132}", "listeners/1/address"},
		{"{address: 127.0.0.1, port_value: 18131}", "{address: 0.0.0.0, port_value: 18131}", "listeners/0/address"},
		{"pipe: {path: \"@h2lab-envoy-18132\"}\n\n",
			"socket_address: {address: 127.0.0.1, port_value: 18133}\n\n", "admin/address"},
		{"/(stats|stats/prometheus|config_dump)", "/(stats|stats/prometheus|config_dump|logging)", "admin/allow_paths"},
		{"{path: /server_info}", "{prefix: /}", "routes/7/match/path"},
		{"[{name: origin, present_match: true}]", "[{name: x-origin, present_match: true}]",
			"routes/0/match/headers/0/name"},
		{"\"none|same-origin\"", "\"none|same-origin|cross-site\"", "routes/1/match/headers/1"},
		{"string_match: {exact: GET}", "string_match: {exact: POST}", "routes/2/match/headers/0"},
		{"\"localhost:18132\", ", "\"*\", ", "virtual_hosts/0/domains/1"},
		{"stat_prefix: admin\n    address", "stat_prefix: counters\n    address", "listeners/1/stat_prefix"},
		{"trusted_ca: {filename: certs/out/ca.crt}", "crl: {filename: certs/out/ca.crt}", "trusted_ca"},
		{"matcher: {exact: localhost}", "matcher: {prefix: local}", "match_typed_subject_alt_names"},
		{"max_concurrent_streams: 128 #", "max_concurrent_streams: 1024 #", "max_concurrent_streams"},
		{"tls_minimum_protocol_version: TLSv1_2\n              tls_max",
			"tls_minimum_protocol_version: TLSv1_3\n              tls_max", "tls_minimum"},
		{"alpn_protocols: [h2, http/1.1]", "alpn_protocols: [http/1.1]", "alpn_protocols"},
		{"drain_timeout: 5s", "", "drain_timeout"},
		{"access_log: []\n          route_config", "route_config", "access_log"},
		{"timeout: 60s ", "retry_policy: {retry_on: 5xx}\n                  timeout: 60s ", "retry"},
		{"max_requests: 8192", "max_requests: 1024", "max_requests"},
		{"enable_reuse_port: false", "", "enable_reuse_port"},
	})
}

// A second protocol in the upstream's options, or another one in its ALPN, would change what is measured.
func TestTheRulesNoticeAnotherProtocolToTheUpstream(t *testing.T) {
	rules.Notice(t, "unlimited-envoy.yaml", []labtest.Break{
		{"http_protocol_options: {}", "http2_protocol_options: {}", "explicit_http_config/http_protocol_options"},
		{"alpn_protocols: [http/1.1]", "alpn_protocols: [h2]", upstreamALPN},
		{"port_value: 18121", "port_value: 18443", upstreamPort},
	})
}

// allowedPaths matches the only paths that Envoy's administration interface answers.
const allowedPaths = `/(stats|stats/prometheus|config_dump)(\?.*)?|/ready|/server_info`

// stated returns the values that every file must have, by path.
func stated(f file) map[string]string {
	streams := strconv.Itoa(facts.MaxConcurrentStreams)
	want := map[string]string{
		"admin/address/pipe/path":                                          "@h2lab-envoy-" + f.counters,
		"admin/allow_paths/0/safe_regex/regex":                             allowedPaths,
		"admin/access_log":                                                 "[]",
		front + "address/socket_address/address":                           "127.0.0.1",
		front + "address/socket_address/port_value":                        f.front,
		front + "enable_reuse_port":                                        "false",
		tls + "disable_stateless_session_resumption":                       "false",
		tls + "common_tls_context/alpn_protocols/0":                        "h2",
		tls + "common_tls_context/alpn_protocols/1":                        "http/1.1",
		tls + "common_tls_context/tls_certificates/0/private_key/filename": "certs/out/server.key",
		manager + "stat_prefix":                                            "front",
		manager + "codec_type":                                             "AUTO",
		manager + "drain_timeout":                                          "5s",
		manager + "access_log":                                             "[]",
		manager + "http2_protocol_options/max_concurrent_streams":          streams,
		manager +
			"route_config/virtual_hosts/0/routes/0/match/path": "/lab/health",
		manager + "route_config/virtual_hosts/0/routes/0/direct_response/status": "200",
		cluster + "connect_timeout":                                    "5s",
		cluster + "circuit_breakers/thresholds/0/max_connections":      "4096",
		cluster + "circuit_breakers/thresholds/0/max_pending_requests": "8192",
		cluster + "circuit_breakers/thresholds/0/max_requests":         "8192",
		upstreamPort:                     f.upstream,
		cluster + "transport_socket/sni": "localhost",
	}
	if f.h1 {
		want[upstream+"explicit_http_config/http_protocol_options"] = "{}"
		want[upstreamALPN] = "http/1.1"
	} else {
		want[upstream+"explicit_http_config/http2_protocol_options/max_concurrent_streams"] = streams
	}
	validation := cluster + "transport_socket/common_tls_context/validation_context/"
	maps.Copy(want, map[string]string{
		validation + "trusted_ca/filename":                           "certs/out/ca.crt",
		validation + "match_typed_subject_alt_names/0/san_type":      "DNS",
		validation + "match_typed_subject_alt_names/0/matcher/exact": "localhost",
	})
	maps.Copy(want, countersStated(f))
	for _, context := range []string{tls, cluster + "transport_socket/"} {
		want[context+"common_tls_context/tls_params/tls_minimum_protocol_version"] = "TLSv1_2"
		want[context+"common_tls_context/tls_params/tls_maximum_protocol_version"] = "TLSv1_3"
	}
	return want
}

// countersStated returns the values of the counters' listener: the Host, headers, method and paths
// that it answers.
func countersStated(f file) map[string]string {
	port := ":" + f.counters
	want := map[string]string{
		counters + "address/socket_address/address":                        "127.0.0.1",
		counters + "address/socket_address/port_value":                     f.counters,
		counters + "stat_prefix":                                           "admin",
		counters + "filter_chains/0/filters/0/stat_prefix":                 "admin",
		counters + "filter_chains/0/filters/0/codec_type":                  "HTTP1",
		allowed + "domains/0":                                              "127.0.0.1" + port,
		allowed + "domains/1":                                              "localhost" + port,
		allowed + "domains/2":                                              "[::1]" + port,
		allowed + "routes/0/match/headers/0/name":                          "origin",
		allowed + "routes/0/direct_response/status":                        "403",
		allowed + "routes/1/match/headers/0/name":                          "sec-fetch-site",
		allowed + "routes/1/match/headers/1/name":                          "sec-fetch-site",
		allowed + "routes/1/match/headers/1/string_match/safe_regex/regex": "none|same-origin",
		allowed + "routes/1/match/headers/1/invert_match":                  "true",
		allowed + "routes/1/direct_response/status":                        "403",
		allowed + "routes/2/match/headers/0/string_match/exact":            "GET",
		allowed + "routes/2/match/headers/0/invert_match":                  "true",
		allowed + "routes/2/direct_response/status":                        "405",
		allowed + "routes/8/match/prefix":                                  "/",
		allowed + "routes/8/direct_response/status":                        "403",
		others + "domains/0":                                               "*",
		others + "routes/0/match/prefix":                                   "/",
		others + "routes/0/direct_response/status":                         "403",
		adminCluster + "path":                                              "@h2lab-envoy-" + f.counters,
	}
	for i, path := range []string{"/stats", "/stats/prometheus", "/config_dump", "/ready", "/server_info"} {
		route := fmt.Sprintf("%sroutes/%d/", allowed, 3+i)
		want[route+"match/path"], want[route+"route/cluster"] = path, "admin"
	}
	return want
}

// problems returns the rules that a configuration breaks.
func problems(t testing.TB, text string, f file) []string {
	t.Helper()
	values := flat(t, text)
	var out []string
	for path, want := range stated(f) {
		if got, there := values[path]; !there || got != want {
			out = append(out, fmt.Sprintf("%s is %q, not %q", path, got, want))
		}
	}
	for path := range values {
		if strings.Contains(path, "retry") && !strings.HasSuffix(path, "max_retries") {
			out = append(out, path+": a retry of the proxy's would run a request twice")
		}
	}
	marked := limitLine.FindAllStringSubmatch(text, -1)
	limits := ending(values, "max_requests_per_connection")
	lines := 1
	if f.limit == "" {
		lines = 0
	}
	if len(marked) != lines || strings.Count(text, "# the limit") != lines {
		out = append(out, fmt.Sprintf("the limit's line is there %d times, not %d", len(marked), lines))
	} else if lines == 1 && marked[0][1] != f.limit {
		out = append(out, fmt.Sprintf("the limit is %s, not %s", marked[0][1], f.limit))
	}
	if len(limits) != lines {
		out = append(out, fmt.Sprintf("the limit is there %d times, not %d", len(limits), lines))
	}
	return out
}
