// Package cure holds the configuration changes that the field tools offer: one cause has one change,
// with the same text and the same number from every verb.
package cure

import (
	"fmt"

	"h2lab/internal/field/output"
)

// Change is a change to one configuration.
type Change struct {
	// For is the product, Where the place in its configuration.
	For   string `json:"for"`
	Where string `json:"where"`
	// Line is the text to paste there; it may have several lines.
	Line string `json:"line"`
	Why  string `json:"why"`
}

// The servers with settings of their own. The names are those of internal/field/family.
const (
	Nginx   = "nginx"
	Go      = "go"
	Envoy   = "envoy"
	HAProxy = "haproxy"
	Apache  = "apache"
	H2O     = "h2o"
	Nghttpx = "nghttpx"

	// IngressNginx and Traefik are built on nginx and Go, with configurations of their own; so is Caddy.
	IngressNginx = "ingress-nginx"
	Traefik      = "traefik"
	Caddy        = "caddy"

	// Unknown is a server whose name nothing shows, so nothing is offered for it.
	Unknown = "unknown"
)

// leastRequests is the limit that the lab measured as sufficient: `make fixed` sets it.
const leastRequests = 100_000

// Requests is the request limit to set where connections end at the limit met; 0 is an unknown one.
func Requests(met int) int { return max(leastRequests, 10*met) }

// RequestLimit is what to change on a server whose connections end after met requests. It is nil
// for a server without such a setting.
func RequestLimit(server string, met int, overHTTP1 bool) []Change {
	switch n := Requests(met); server {
	case Nginx:
		return nginxLimit(n, overHTTP1)
	case IngressNginx:
		return []Change{ingressLimit(n)}
	case Go:
		return goLimit()
	case Traefik:
		return goLimit()[:1]
	case Envoy:
		return envoyLimit(n)
	case HAProxy:
		return []Change{{For: "HAProxy ≥ 3.0", Where: "the section global (0 is no limit, and the default)",
			Line: "tune.h2.fe.max-total-streams 0", Why: costsConnections}}
	case Nghttpx:
		return []Change{{For: "nghttpx", Where: "nghttpx.conf (leave the line out for no limit)",
			Line: fmt.Sprintf("frontend-max-requests=%d", n), Why: costsConnections}}
	case Apache:
		if overHTTP1 { // HTTP/2 connections of mod_http2 have no limit by count
			return []Change{{For: "Apache httpd",
				Where: "the server's or the virtual host's configuration (0 is no limit)",
				Line:  "MaxKeepAliveRequests 0", Why: "HTTP/1.1 connections end at this count"}}
		}
	default:
		return otherLimit(server, met, overHTTP1)
	}
	return nil
}

// OneDial is what to change in a client that dials once for each waiting request. In Go it holds for as
// many requests in flight as one connection has streams.
func OneDial() Change {
	return Change{For: "the client, in Go (others: docs/clients.md)", Where: "its http.Transport",
		Line: "http.Transport{ForceAttemptHTTP2: true, MaxConnsPerHost: 1}",
		Why:  "one dial at a time; a slow one delays every waiting request (golang/go#34941)"}
}

// Title names the configuration, the place in it and the reason: what stands before the line to paste.
func (c Change) Title() string { return c.TitleIn(nil) }

// TitleIn is Title in the user's language.
func (c Change) TitleIn(in output.Translate) string {
	return in.Say(c.For) + in.Say(", ") + in.Say(c.Where) + in.Say(": ") + in.Say(c.Why)
}

const costsConnections = "nothing in flight is lost at the limit, but every client opens a new connection there"

func nginxLimit(n int, overHTTP1 bool) []Change {
	out := []Change{
		{For: "nginx ≥ 1.19.7", Where: "http{} or server{}, not location{}: HTTP/2 does not read it there",
			Line: fmt.Sprintf("keepalive_requests %d;", n),
			Why:  "connections are renewed less often; keepalive_time (1h) still bounds a connection's age"},
		ingressLimit(n),
	}
	if overHTTP1 {
		out[0].For, out[0].Where = "nginx", "http{}, server{} or location{}"
		return out
	}
	return append(out, Change{For: "nginx < 1.19.7", Where: "http{} or server{}",
		Line: fmt.Sprintf("http2_max_requests %d;", n),
		Why:  "keepalive_requests counts for HTTP/2 since 1.19.7 only"})
}

func ingressLimit(n int) Change {
	return Change{For: "ingress-nginx", Where: "the controller's ConfigMap, data",
		Line: fmt.Sprintf("keep-alive-requests: %q", fmt.Sprint(n)),
		Why:  "the same directive, written by the controller"}
}

func envoyLimit(n int) []Change {
	line := fmt.Sprintf("common_http_protocol_options:\n  max_requests_per_connection: %d", n)
	return []Change{
		{For: "Envoy", Where: "the HttpConnectionManager of the listener (leave the line out for no limit)",
			Line: line, Why: costsConnections},
		{For: "Istio", Where: "an EnvoyFilter that merges into the gateway's HttpConnectionManager", Line: line,
			Why: "DestinationRule's maxRequestsPerConnection is about connections to the backends, not about these"},
	}
}

func goLimit() []Change {
	return []Change{
		{For: "Traefik", Where: "the static configuration (0 is no limit)",
			Line: "entryPoints:\n  websecure:\n    transport:\n      keepAliveMaxRequests: 0",
			Why:  "net/http itself has no limit; Traefik sets Connection: close at this count"},
		{For: "kube-apiserver", Where: "its command line", Line: "--goaway-chance=0",
			Why: "ends connections at random, request by request"},
		{For: "a Go program", Where: "its handlers and middleware: remove",
			Line: `w.Header().Set("Connection", "close")`,
			Why:  "over HTTP/2 it ends the whole connection, not one answer (h2_bundle.go, writeChunk)"},
	}
}
