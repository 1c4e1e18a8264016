package family

import (
	"testing"

	"h2lab/internal/facts"
)

// known has the families of each recording, and how sure they are with the Server header and without.
var known = map[string][3]string{
	"nginx-1":             {"nginx", Certain, Certain},
	"nginx-1.22-1000":     {"nginx", Certain, Certain},
	"nginx-1.22-none-met": {"nginx", Likely, Likely},
	"nginx-1.30-100":      {"nginx", Certain, Certain},
	"nginx-1.30-none-met": {"nginx", Likely, Likely},
	"nginx-time-5s":       {"nginx", Certain, Certain},
	"nginx-reloads":       {"nginx", Certain, Certain},
	"fleet-100-1000":      {"nginx", Certain, Certain},
	"fleet-100-none":      {"nginx", Likely, Likely},
	"busy":                {"nginx", Likely, Likely},
	"redirect":            {"nginx", Certain, Certain},
	"out-of-time":         {"nginx", Likely, Likely},
	"one-connection":      {"nginx", Certain, Certain},
	"nginx-1000-h1":       {"nginx", Possible, Possible},
	"envoy-tcp-3s":        {"nginx", Likely, Likely}, // Envoy forwards TCP alone
	"envoy-none":          {"envoy", Certain, Certain},
	"envoy-500":           {"envoy", Certain, Certain},
	"envoy-duration-4s":   {"envoy", Certain, Certain},
	"haproxy-2.6-none":    {"haproxy", Likely, Likely},
	"haproxy-3.2-none":    {"haproxy", Likely, Likely},
	"haproxy-3.2-300":     {"haproxy", Certain, Certain},
	"apache-2.4":          {"apache", Certain, Certain},
	"caddy-2.6":           {"go", Certain, Certain},
	"go-1.26-none":        {"go", Certain, Certain},
	"go-1.26-400":         {"go", Certain, Certain},
	"go-age-3s":           {"go", Certain, Certain},
	"go-xnet-none":        {"go", Certain, Certain},
	"go-chance-200":       {"go", Certain, Certain},
	"go-bytes":            {"go", Likely, Likely},
	"go-reset":            {"go", Likely, Likely},
	"h2o-2.2":             {"h2o", Certain, Certain},
	"nghttpx-1.52-none":   {"nghttpx", Certain, Certain},
	"nghttpx-1.52-300":    {"nghttpx", Certain, Certain},
	"node-20":             {"node hyper", Possible, Possible}, // an empty frame is easily sent
	"node-close-250":      {"node hyper", Possible, Possible},
	"node-calm-200":       {"node hyper", Possible, Possible},
	"node-destroy-300":    {"node hyper", Possible, Possible},
	"grpc-go-none":        {"grpc-go", Likely, Likely},
	"grpc-go-age-2s":      {"grpc-go", Certain, Certain},
	"grpc-java-age-2s":    {"grpc-java", Certain, Certain},
	"grpc-python-none":    {"grpc-core", Likely, Likely},
	"hypercorn-0.18":      {"hypercorn", Certain, Certain},
	"jetty-12":            {"jetty", Certain, Certain},
	"undertow-2.3":        {"undertow", Likely, Likely},
	"reactor-netty-1.3":   {"netty", Likely, Likely},
	"lighttpd-1.4":        {"lighttpd", Likely, Likely},
	"trafficserver-9.2":   {"trafficserver", Likely, Likely},
	"granian-2":           {"hyper", Likely, Likely},
	"hyper-150":           {"hyper", Likely, Likely},
	"actix-4":             {"hyper", Possible, Possible},
	"axum-0.8":            {"hyper", Likely, Likely},
	"poem-3":              {"hyper", Likely, Likely},
	"grpc-go-idle-2s":     {"grpc-go", Likely, Likely},
	"grpc-js-age-2s":      {"node", Possible, Possible},
	"envoy-overload":      {"envoy", Certain, Certain},
	"pingora-0.9":         {"hyper", Likely, Likely},
	"rust-h2-refuses":     {"node hyper", Possible, Possible},
	"armeria-200":         {"armeria", Certain, Certain},
	"armeria-age-3s":      {"armeria", Certain, Certain},
	"twisted-26":          {"python-h2", Likely, Likely},
	"pekko-1.1":           {"pekko", Likely, Likely},
	// These send the same frame.
	"tomcat-11":     {"apache nghttpd varnish tomcat netty", Possible, Possible},
	"unbound-1.17":  {"apache nghttpd varnish tomcat netty", Possible, Possible},
	"nghttpd-1.52":  {"apache nghttpd varnish tomcat netty", Possible, Possible},
	"varnish-hitch": {"apache nghttpd varnish tomcat netty", Possible, Possible},
	"vertx-5":       {"apache nghttpd varnish tomcat netty", Possible, Possible},
	// HTTP/1.1 shows a number and a header.
	"tomcat-http1-100":  {"nginx tomcat", Possible, Possible},
	"lighttpd-http1-50": {"lighttpd", Possible, Unknown},
	"helidon-4.2":       {"helidon", Likely, Likely},
	"helidon-4.2-order": {"helidon", Likely, Likely},
	"httpcore-5.3":      {"httpcore", Certain, Certain},
	"httpcore-5.4":      {"httpcore", Certain, Certain},
	"grizzly-4.0":       {"grizzly", Possible, Possible},
	"ntex-2":            {"ntex", Likely, Likely},
	"fasthttp2-0.3":     {"fasthttp2", Likely, Likely},
	"libwebsockets-4.1": {"libwebsockets", Likely, Likely},
	"bun-1.4":           {"node hyper", Possible, Possible},
	"goaway-0":          {"", Unknown, Unknown},
	"goaway-ahead":      {"haproxy", Possible, Possible},
	"nginx-idle-50ms":   {"nginx", Certain, Certain},
}

// Some facts rule a family out, whatever else speaks for it.
func TestContradictingEvidenceRulesAFamilyOut(t *testing.T) {
	for name, x := range map[string]struct {
		recording, family string
		change            func(*facts.Endpoint)
	}{
		"an empty frame is not nginx's": {"nginx-1.22-1000", "nginx", func(e *facts.Endpoint) { e.Settings = []facts.Setting{} }},
		"Go's frame is not nginx's": {"nginx-1.22-1000", "nginx", func(e *facts.Endpoint) {
			e.Settings = recorded(t, "go-1.26-none").Settings
		}},
		"an unheard frame is not Go's": {"go-1.26-400", "go", func(e *facts.Endpoint) { e.Settings = e.Settings[:2] }},
		"max_age is gRPC's": {"envoy-500", "envoy", func(e *facts.Endpoint) {
			e.Asked[1].Goaways[0].Debug = "max_age"
		}},
		"too_many_pings is gRPC's": {"nginx-1.22-1000", "nginx", func(e *facts.Endpoint) {
			e.Asked[1].Goaways[0].Debug = "too_many_pings"
		}},
	} {
		e := changed(t, x.recording, func(*facts.Endpoint) {})
		if v := Judge(e); v.Family != x.family {
			t.Fatalf("%s: %s is judged %s", name, x.recording, v.Family)
		}
		x.change(&e)
		for _, c := range Judge(e).Candidates {
			if c.Family == x.family {
				t.Errorf("%s, and it is a candidate still: %+v", name, c)
			}
		}
	}
}
