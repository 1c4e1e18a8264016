package envoyconf

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

// bootstrap has one cluster, c, with more fields; the others are for Envoy's validation.
const bootstrap = `admin: {address: {socket_address: {address: 127.0.0.1, port_value: 0}}}
static_resources:
  clusters:
  - name: c
    %s
`

const filter = `      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: s
          %s
`

// options are an HttpConnectionManager's common_http_protocol_options in a whole file.
func options(text string) lint.File {
	return lint.File{Name: "f.yaml", Data: []byte("static_resources:\n  listeners:\n  - name: l\n" +
		"    address: {socket_address: {address: 127.0.0.1, port_value: 0}}\n    filter_chains:\n    - filters:\n" +
		fmt.Sprintf(filter, "route_config: {name: r}\n          common_http_protocol_options: {"+text+"}"))}
}

// Numbers and durations in every form that Envoy takes; others are left to its own check.
func TestEnvoysSpellingsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"max_requests_per_connection: {value: 100}": "100 1h", "max_requests_per_connection: 0x10": "16 1h",
		"max_requests_per_connection: 010": "8 1h", "max_requests_per_connection: +1": "1 1h", "max_requests_per_connection: ~": "no limit 1h",
		"idle_timeout: 0.25s": "no limit 0.25s", "idleTimeout: 0s": "no limit never",
		"max_requests_per_connection: 1.5": "", "max_requests_per_connection: -1": "", "idle_timeout: 5": "",
	} {
		r, err := Lint([]lint.File{options(text)}, lint.Options{})
		if got := ""; err == nil {
			got = r.Listeners[0].Limit.String() + " " + r.Listeners[0].Idle.String()
			if got != want {
				t.Errorf("%s is %s, not %s", text, got, want)
			}
		} else if want != "" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestARefusalNamesTheFieldAndTheCure(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	cluster := func(text string) lint.File {
		return lint.File{Name: "f.yaml", Data: fmt.Appendf(nil, bootstrap, text)}
	}
	for _, c := range []struct {
		name, want string
		file       lint.File
	}{
		{"a time without a unit", `idle_timeout: "5" is no duration: write seconds, such as 0.25s`, options("idle_timeout: 5")},
		{"a placeholder", `"${LIMIT}" is no number`, options("max_requests_per_connection: '${LIMIT}'")},
		{"hosts", `"hosts" belongs to version 2 of Envoy's API`, cluster("hosts: [{socket_address: {address: a, port_value: 1}}]")},
		{"tls_context", `"tls_context" belongs to version 2`, cluster("tls_context: {}\n    connect_timeout: 1s")},
	} {
		faults.Try("an Envoy configuration with "+c.name, func(t *testing.T) {
			if _, err := Lint([]lint.File{c.file}, lint.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %s", err, c.want)
			}
		})
	}
}

// listeners in each form in which files hold them.
func TestResourcesAreFoundWhereverTheyStand(t *testing.T) {
	hcm := strings.ReplaceAll("\n"+fmt.Sprintf(filter, "common_http_protocol_options: {max_requests_per_connection: 5}"),
		"\n      ", "\n  ")[1:]
	listener := "name: l\naddress: {socket_address: {address: 127.0.0.1, port_value: 1}}\nfilter_chains:\n- filters:\n" + hcm
	in := func(indent string) string { return indent + strings.ReplaceAll(listener, "\n", "\n"+indent) }
	item := "- " + strings.TrimPrefix(in("  "), "  ")
	typed := "'@type': type.googleapis.com/envoy.config.listener.v3.Listener\n"
	for name, text := range map[string]string{
		"alone":            listener,
		"a list":           item,
		"resources":        "resources:\n- " + typed + in("  "),
		"egctl":            "xds:\n  default/eg:\n    '@type': type.googleapis.com/envoy.admin.v3.ListenersConfigDump\n    dynamicListeners:\n    - activeState:\n        listener:\n          " + typed + in("          "),
		"a port left open": strings.Replace(listener, "port_value: 1", "port_value: $PORT", 1),
		"Kuma's":           "resources:\n- name: l\n  resource:\n    " + typed + in("    "),
		"one as one":       "static_resources:\n  listeners:\n" + in("    "),
	} {
		f := lint.File{Name: "f.yaml", Data: []byte(text)}
		r, err := Lint([]lint.File{f}, lint.Options{})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			continue
		}
		if len(r.Listeners) != 1 || len(r.Findings) != 1 || r.Findings[0].Rule != "envoy/limit" {
			t.Errorf("%s: %d listeners, %+v", name, len(r.Listeners), r.Findings)
		}
		if !Looks(f) {
			t.Errorf("%s isn't recognised", name)
		}
	}
}

// A cluster to which Envoy itself speaks, or no route leads, gets no advice about clients' requests.
func TestOnlyClustersOfClientsAreAdvised(t *testing.T) {
	const h2 = "\n    typed_extension_protocol_options:\n      " + httpOptions + ":\n        \"@type\": type.googleapis.com/" +
		httpOptions + "\n        explicit_http_config: {http2_protocol_options: {}}"
	listeners := func(routes string) string {
		return "  listeners:\n  - name: l\n    address: {socket_address: {address: 127.0.0.1, port_value: 1}}\n    filter_chains:\n" +
			"    - filters:\n" + fmt.Sprintf(filter, routes)
	}
	route := "route_config: {virtual_hosts: [{name: v, domains: ['*'], routes: [{match: {prefix: /}, route: {cluster: %s}}]}]}"
	rds := "rds: {route_config_name: r, config_source: {ads: {}}}"
	rated := "http_filters: [{name: x, typed_config: {'@type': type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3" +
		".ExtAuthz, grpc_service: {envoy_grpc: {cluster_name: c}}}}]\n          " + rds
	for name, c := range map[string]struct{ text, severity string }{
		"a route":            {fmt.Sprintf(bootstrap, h2) + listeners(fmt.Sprintf(route, "c")), "warning"},
		"another route":      {fmt.Sprintf(bootstrap, h2) + listeners(fmt.Sprintf(route, "d")), ""},
		"routes over RDS":    {fmt.Sprintf(bootstrap, h2) + listeners(rds), "note"},
		"a service":          {fmt.Sprintf(bootstrap, h2) + listeners(rated), ""},
		"ADS":                {fmt.Sprintf(bootstrap, h2) + "dynamic_resources: {ads_config: {api_type: GRPC, grpc_services: {envoy_grpc: {cluster_name: c}}}}\n", ""},
		"listeners over LDS": {fmt.Sprintf(bootstrap, h2) + "dynamic_resources: {lds_config: {ads: {}}}\n", ""},
		"a cluster alone":    {"name: c\nconnect_timeout: 1s" + strings.ReplaceAll(h2, "\n    ", "\n"), "note"},
	} {
		r, err := Lint([]lint.File{{Name: "f.yaml", Data: []byte(c.text)}}, lint.Options{})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, c.text)
			continue
		}
		got := ""
		for _, f := range r.Findings {
			if f.Rule == "envoy/upstream-goaway" {
				got = string(f.Severity)
			}
		}
		if got != c.severity {
			t.Errorf("%s: %q, not %q", name, got, c.severity)
		}
	}
}

// A file that a control plane wrote says where the change belongs.
func TestTheControlPlaneOfAFileIsNamed(t *testing.T) {
	listener := "name: l\naddress: {pipe: {path: x}}\nfilter_chains: []\n"
	for text, want := range map[string]string{
		"- " + strings.ReplaceAll(strings.TrimSpace(listener), "\n", "\n  "):                     "is a list of resources",
		listener + "metadata: {filter_metadata: {envoy-gateway: {a: b}}}\n":                      "ClientTrafficPolicy",
		listener + "metadata: {filter_metadata: {istio: {services: [istiod]}}}\n":                "DestinationRule",
		"configs: [{'@type': x/envoy.admin.v3.ListenersConfigDump, static_listeners: []}]\n":     "has in memory: the lines say",
		"configs: [{'@type': x/envoy.admin.v3.ListenersConfigDump, version_info: 'kuma.io/'}]\n": "Kuma makes it",
		listener: "",
	} {
		r, err := Lint([]lint.File{{Name: "f.yaml", Data: []byte(text)}}, lint.Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := r.Assumptions(); !strings.Contains(got, want) || want == "" && strings.Contains(got, "change") {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}

// One change in the control plane changes every line that it wrote.
func TestFindingsOfADumpAreGathered(t *testing.T) {
	cluster := "- {name: c%d, connect_timeout: 1s, http2_protocol_options: {}}\n"
	list := ""
	for i := range 20 {
		list += fmt.Sprintf(cluster, i)
	}
	r, err := Lint([]lint.File{{Name: "f.yaml", Data: []byte(list)}}, lint.Options{})
	labtest.Check(t, err)
	seen := map[string]int{}
	for _, f := range r.Findings {
		seen[f.Rule]++
		if len(f.Also) != 19 || f.Also[18].Line != 20 {
			t.Errorf("%s: %v", f.Rule, f.Also)
		}
	}
	if len(seen) != 3 || len(r.Findings) != 3 {
		t.Errorf("%v", seen)
	}
}

func TestARetryPolicyCoversRefusedStreams(t *testing.T) {
	const file = `
static_resources:
  listeners:
  - name: l
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: s
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              %s
              routes: [{match: {prefix: /}, route: {cluster: c %s}}]
  clusters:
  - name: c
    %s
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        %s
        explicit_http_config: {%s_protocol_options: {}}
`
	const goaway, few = "envoy/upstream-goaway", "envoy/retries-few"
	for name, c := range map[string]struct{ host, route, cluster, options, protocol, want string }{
		"no policy":            {"", "", "", "", "http2", goaway},
		"HTTP/1.1":             {"", "", "", "", "http", ""},
		"on the route":         {"", ", retry_policy: {retry_on: 'connect-failure, refused-stream'}", "", "", "http2", few},
		"on the host":          {"retry_policy: {retry_on: 5xx}", "", "", "", "http2", few},
		"the route's own wins": {"retry_policy: {retry_on: 5xx}", ", retry_policy: {retry_on: connect-failure}", "", "", "http2", goaway},
		"the cluster's wins":   {"", ", retry_policy: {retry_on: reset}", "", "retry_policy: {retry_on: retriable-4xx}", "http2", goaway},
		"on the cluster":       {"", "", "", "retry_policy: {retry_on: gateway-error}", "http2", few},
		"and enough of them":   {"", "", "circuit_breakers: {thresholds: [{max_retries: 100}]}", "retry_policy: {retry_on: reset}", "http2", ""},
		"for another priority": {"", "", "circuit_breakers: {thresholds: [{priority: HIGH, max_retries: 100}]}", "retry_policy: {retry_on: reset}", "http2", few},
		"a budget":             {"", "", "circuit_breakers: {thresholds: [{retry_budget: {budget_percent: {value: 100}}}]}", "retry_policy: {retry_on: reset}", "http2", ""},
		"renewed by Envoy":     {"", "", "", "common_http_protocol_options: {max_requests_per_connection: 900}", "http2", ""},
		"renewed too late":     {"", "", "", "common_http_protocol_options: {max_requests_per_connection: 1000}", "http2", "envoy/upstream-limit-high"},
		"renewed the old way":  {"", "", "max_requests_per_connection: 900", "", "http2", "envoy/deprecated-field"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Lint([]lint.File{{Name: "f", Data: fmt.Appendf(nil, file, c.host, c.route, c.cluster, c.options,
				c.protocol)}}, lint.Options{})
			labtest.Check(t, err)
			var got []string
			for _, f := range r.Findings {
				if f.Rule != "envoy/upstream-no-ping" && f.Rule != "envoy/reset-bucket" {
					got = append(got, f.Rule)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("found %v, not %q", got, c.want)
			}
		})
	}
}

func TestProtocolsFollowCodecAndALPN(t *testing.T) {
	const file = `
name: l
filter_chains:
- filters:
  - name: envoy.filters.network.http_connection_manager
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
      stat_prefix: s
      codec_type: %s
  %s
`
	tls := func(alpn string) string {
		return `transport_socket: {name: tls, typed_config: {` +
			`"@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext, ` +
			`common_tls_context: {alpn_protocols: [` + alpn + `]}}}`
	}
	quic := `transport_socket: {name: quic, typed_config: {` +
		`"@type": type.googleapis.com/envoy.extensions.transport_sockets.quic.v3.QuicDownstreamTransport}}`
	for _, c := range []struct{ codec, socket, want string }{
		{"AUTO", "", "http/1.1 h2c"}, {"AUTO", tls(""), "http/1.1"}, {"AUTO", tls("h2"), "h2"},
		{"AUTO", tls("h2, http/1.1"), "http/1.1 h2"},
		{"HTTP1", tls("h2"), "http/1.1"}, {"HTTP2", "", "h2c"}, {"HTTP2", tls("h2"), "h2"}, {"HTTP3", quic, "h3"},
		{"AUTO", quic, "h3"},
	} {
		r, err := Lint([]lint.File{{Name: "f", Data: fmt.Appendf(nil, file, c.codec, c.socket)}}, lint.Options{})
		labtest.Check(t, err)
		if got := strings.Join(r.Listeners[0].Protocols, " "); got != c.want {
			t.Errorf("%s with %.60s: %s, not %s", c.codec, c.socket, got, c.want)
		}
	}
}

// Lint must handle a dump with hundreds of listeners and clusters in one pass: no check may go through
// all of them for each of them.
func TestALargeDumpIsJudgedOnceThrough(t *testing.T) {
	data, err := os.ReadFile("testdata/corpus/config_dump.json")
	labtest.Check(t, err)
	const times = 300
	large, err := json.Marshal(repeated(t, data, times))
	labtest.Check(t, err)
	r, err := Lint([]lint.File{{Name: "dump.json", Data: large}}, lint.Options{})
	labtest.Check(t, err)
	if len(r.Listeners) != times {
		t.Errorf("%d listeners, not %d", len(r.Listeners), times)
	}
}

// repeated is a dump with each of its static listeners and clusters n times.
func repeated(t *testing.T, data []byte, n int) map[string]any {
	t.Helper()
	var dump map[string]any
	labtest.Check(t, json.Unmarshal(data, &dump))
	for _, section := range dump["configs"].([]any) {
		section := section.(map[string]any)
		for _, key := range []string{"static_listeners", "static_clusters"} {
			if one, there := section[key].([]any); there {
				var all []any
				for range n {
					all = append(all, one...)
				}
				section[key] = all
			}
		}
	}
	return dump
}
