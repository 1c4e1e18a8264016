package envoyconf

import (
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/linttest"
)

func TestFieldsHaveBothTheirNames(t *testing.T) {
	docs, err := lint.ReadYAML(lint.File{Data: []byte("a_b_c: 1\ndEf: 2\n")})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a_b_c": "1", "d_ef": "2"} {
		if f := field(docs[0], name); f == nil || f.Value.Text != want {
			t.Errorf("%s is %+v", name, f)
		}
	}
	if camel("max_requests_per_connection") != "maxRequestsPerConnection" || camel("a__b") != "aB" {
		t.Error("camel writes names wrong")
	}
}

func TestAFileOfEnvoysIsTold(t *testing.T) {
	for _, f := range kind.Corpus(t) {
		want := f.Name != "bad-kind.yaml" && f.Name != "bad-empty.yaml"
		if got := Looks(f); got != want {
			t.Errorf("%s: %v", f.Name, got)
		}
	}
	for _, text := range []string{
		"name: c\ntype: EDS\neds_cluster_config: {service_name: s, eds_config: {ads: {}}}\n",
		"- edsClusterConfig: {edsConfig: {ads: {}}}\n  name: c\n  type: EDS\n",
		"name: c\nload_assignment: {cluster_name: c}\n",
		"name: l\napi_listener:\n  api_listener: {'@type': type.googleapis.com/envoy.extensions.filters.network." +
			"http_connection_manager.v3.HttpConnectionManager, stat_prefix: s}\n",
	} {
		f := lint.File{Name: "f.yaml", Data: []byte(text)}
		if !Looks(f) {
			t.Errorf("not taken for Envoy's: %q", text)
		}
		if _, err := Lint([]lint.File{f}, lint.Options{}); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"", "server { listen 80; }", "entryPoints: {}",
		"kind: ConfigMap\ndata: {x: envoy.yaml}\n", "envoy."} {
		if Looks(lint.File{Data: []byte(text)}) {
			t.Errorf("taken for Envoy's: %q", text)
		}
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
			if err != nil {
				t.Fatal(err)
			}
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
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Listeners[0].Protocols, " "); got != c.want {
			t.Errorf("%s with %.60s: %s, not %s", c.codec, c.socket, got, c.want)
		}
	}
}

func FuzzLint(f *testing.F) {
	for _, file := range kind.Corpus(f) {
		f.Add(string(file.Data))
	}
	f.Add(`{"configs":[{"@type":"x/envoy.admin.v3.ListenersConfigDump",` +
		`"dynamic_listeners":[{"active_state":{"listener":` +
		`{"@type":"x/envoy.config.listener.v3.Listener"}}}]}]}`)
	f.Add("static_resources: {listeners: [], clusters: null}\noverload_manager: {actions: [{name: a}]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := lint.File{Name: "f", Data: []byte(text)}
		Looks(file)
		r, err := Lint([]lint.File{file}, lint.Options{})
		linttest.Said(t, r, err)
		for _, found := range r.Findings {
			if found.Line < 1 || found.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("line %d: %s", found.Line, found.Why)
			}
		}
	})
}

// What an Envoy has in memory it has taken: fields that its version had and 1.40 hasn't are left out. In a file
// they are an error.
func TestADumpMayBeOfAnotherVersion(t *testing.T) {
	const listener = `{"@type": "type.googleapis.com/envoy.config.listener.v3.Listener", "name": "a", "hidden_envoy_deprecated_use_original_dst": true,
"address": {"socket_address": {"address": "0.0.0.0", "port_value": 80}}, "filter_chains": [{"gone": 1, "filters": []}]}`
	dump := lint.File{Name: "d.json", Data: []byte(`{"configs": [{"@type": "type.googleapis.com/envoy.admin.v3.ListenersConfigDump", ` +
		`"static_listeners": [{"listener": ` + listener + `}]}]}`)}
	r, err := Lint([]lint.File{dump}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if said := r.Assumptions(); !strings.Contains(said, "2 fields were left out, of another version than Envoy 1.40; "+
		"the first at d.json:1 configs[0].static_listeners[0].listener.hidden_envoy_deprecated_use_original_dst") {
		t.Error(said)
	}
	if _, err := Lint([]lint.File{{Name: "l.json", Data: []byte(listener)}}, lint.Options{}); err == nil ||
		!strings.Contains(err.Error(), `has no field "hidden_envoy`) {
		t.Error(err)
	}
	if _, err := Lint([]lint.File{dump, {Name: "l.json", Data: []byte(listener)}}, lint.Options{}); err == nil {
		t.Error("a file after a dump is read as one")
	}
}
