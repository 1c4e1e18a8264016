package main

import (
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"h2lab/clients/kit"
)

func rendered(t *testing.T, variant, url, protocol, tls string) string {
	t.Helper()
	c, err := newConfig(kit.Flags{Variant: variant, URL: url, Protocol: protocol, MaxTLS: tls, CA: "/ca.crt"}, "/dir")
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.render()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryVariantRendersWholeFiles(t *testing.T) {
	for _, v := range variants {
		for _, url := range []string{"https://127.0.0.1:18101/echo", "https://localhost:18101/echo"} {
			for _, protocol := range []string{"h1", "h2"} {
				text := rendered(t, v, url, protocol, "1.3")
				if regexp.MustCompile(`<no value>|<nil>`).MatchString(text) || !strings.Contains(text, "/ca.crt") ||
					!strings.Contains(text, "/dir/front.sock") {
					t.Errorf("%s: %s", v, text)
				}
				if isEnvoy(v) {
					var tree map[string]any
					if err := yaml.Unmarshal([]byte(text), &tree); err != nil || tree["static_resources"] == nil {
						t.Errorf("%s: %v", v, err)
					}
				} else if strings.Count(text, "{") != strings.Count(text, "}") {
					t.Errorf("%s: braces don't pair: %s", v, text)
				}
			}
		}
	}
}

func TestAVariantChangesWhatItIsAbout(t *testing.T) {
	const url = "https://127.0.0.1:18101/echo"
	for _, c := range []struct{ variant, protocol, with, without string }{
		{"envoy-as-client", "h2", "\n          http2_protocol_options: {}", "retry_policy"},
		{"envoy-as-client", "h2", "IP_ADDRESS", "max_requests_per_connection"},
		{"envoy-as-client", "h1", "\n          http_protocol_options: {}", "\n          http2_protocol_options: {}"},
		{"envoy-max-requests", "h2", "max_requests_per_connection: 900", "retry_policy"},
		{"envoy-retry-refused", "h2", "retry_on: refused-stream,", "max_requests_per"},
		{"nginx-as-client", "h2", "proxy_http_version 2;", "keepalive 128"},
		{"nginx-as-client", "h1", "proxy_http_version 1.1;", "proxy_http_version 2;"},
		{"nginx-keepalive", "h2", "keepalive 128;", "proxy_http_version 1.1"},
	} {
		text := rendered(t, c.variant, url, c.protocol, "1.3")
		if !strings.Contains(text, c.with) || strings.Contains(text, c.without) {
			t.Errorf("%s %s: want %q and no %q in\n%s", c.variant, c.protocol, c.with, c.without, text)
		}
	}
	if text := rendered(t, "envoy-as-client", url, "h2", "1.2"); strings.Contains(text, "TLSv1_3") {
		t.Error("TLS 1.3 is offered where 1.2 is the highest")
	}
	if text := rendered(t, "nginx-as-client", "https://localhost/echo", "h2", "1.2"); strings.Contains(text,
		"TLSv1.3") || !strings.Contains(text, "server localhost:443;") {
		t.Error(text)
	}
}

func TestTheReasonIsWhatAUserWouldSearchFor(t *testing.T) {
	line := `2026/11/21 04:31:00 [error] 123#123: *45 upstream sent goaway with error 0 while reading response ` +
		`header from upstream, client: unix:, server: , request: "POST /echo HTTP/1.1"`
	if got := reason(line); got != "upstream sent goaway with error 0 while reading response header from upstream" {
		t.Error(got)
	}
}

func TestEnvoysCountersAreRead(t *testing.T) {
	c := readStats(strings.NewReader("cluster.upstream.ssl.session_reused: " +
		"19\ncluster.upstream.ssl.versions.TLSv1.2: 0\ncluster.upstream.ssl.versions.TLSv1.3: 20\n" +
		"cluster.upstream.upstream_cx_total: 21\ncluster.upstream.upstream_cx_length_ms: No recorded values\n"))
	if *c.Dialled != 21 || *c.Resumed != 19 || c.TLSVersion != "1.3" {
		t.Errorf("%+v", c)
	}
}
