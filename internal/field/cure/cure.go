// Package cure holds the configuration changes that the field tools offer: one cause has one change,
// with the same text and the same number from every verb.
package cure

import (
	"fmt"
	"slices"

	"h2lab/internal/base/text"
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

// Age is what to change on a server that ends connections at an age, however many requests they
// carried. It is nil for a server without such a setting; a balancer in between may have one.
func Age(server string) []Change {
	switch server {
	case Nginx:
		return []Change{{For: "nginx ≥ 1.19.10", Where: "http{} or server{}, not location{}", Line: "keepalive_time 1h;",
			Why: "1h is the default; a connection older than this ends after its next answer"}}
	case Envoy:
		return []Change{{For: "Envoy", Where: "the HttpConnectionManager of the listener (leave the line out for no limit)",
			Line: "common_http_protocol_options:\n  max_connection_duration: 3600s",
			Why:  "Envoy drains a connection at this age"}}
	case IngressNginx:
		return []Change{{For: "ingress-nginx", Where: "the controller's ConfigMap, data",
			Line: "http-snippet: \"keepalive_time 1h;\"",
			Why:  "1h is nginx's default; the controller has no key of its own for it"}}
	case Traefik:
		return []Change{traefikAge()}
	case Go:
		return append([]Change{traefikAge()}, grpcAge(GRPCGo)...)
	}
	return grpcAge(server)
}

func traefikAge() Change {
	return Change{For: "Traefik", Where: "the static configuration (0 is no limit)",
		Line: "entryPoints:\n  websecure:\n    transport:\n      keepAliveMaxTime: 0",
		Why:  "Traefik sets Connection: close on connections older than this"}
}

// Idle is what to change on a server that closes unused connections early.
func Idle(server string) []Change {
	c := Change{Why: "the server closes a pooled connection that its client hasn't used for this long"}
	switch server {
	case Nginx:
		c.For, c.Where, c.Line = "nginx", "http{} or server{}", "keepalive_timeout 75s;"
	case Go:
		c.For, c.Where, c.Line = "a Go program", "its http.Server", "IdleTimeout: 2 * time.Minute,"
		return slices.Concat(Idle(Traefik), Idle(Caddy), []Change{c})
	case Envoy:
		c.For, c.Where = "Envoy", "the HttpConnectionManager of the listener"
		c.Line = "common_http_protocol_options:\n  idle_timeout: 3600s"
	case HAProxy:
		c.For, c.Where = "HAProxy", "the section defaults, or the frontend"
		c.Line = "timeout http-keep-alive 60s\ntimeout client 60s"
	case Apache:
		c.For, c.Where = "Apache httpd", "the server's or the virtual host's configuration"
		c.Line = "KeepAliveTimeout 60"
	case H2O:
		c.For, c.Where, c.Line = "H2O", "the global section", "http2-idle-timeout: 60"
	case IngressNginx:
		c.For, c.Where, c.Line = "ingress-nginx", "the controller's ConfigMap, data", `keep-alive: "75"`
	case Traefik:
		c.For, c.Where = "Traefik", "the static configuration"
		c.Line = "entryPoints:\n  websecure:\n    transport:\n      respondingTimeouts:\n        idleTimeout: 180s"
	case Caddy:
		c.For, c.Where = "Caddy", "the Caddyfile's global options"
		c.Line = "servers {\n\ttimeouts {\n\t\tidle 5m\n\t}\n}"
	case Armeria:
		c.For, c.Where, c.Line = "Armeria", "its ServerBuilder", ".idleTimeout(Duration.ofMinutes(2))"
	case Lighttpd:
		c.For, c.Where, c.Line = "lighttpd", "lighttpd.conf", "server.max-keep-alive-idle = 60"
	case Nghttpx:
		c.For, c.Where = "nghttpx", "nghttpx.conf (frontend-http2-idle-timeout in newer versions)"
		c.Line = "frontend-http2-read-timeout=3m"
	default:
		return nil
	}
	return []Change{c}
}

// More servers with settings of their own.
const (
	GRPCGo    = "grpc-go"
	GRPCJava  = "grpc-java"
	GRPCCore  = "grpc-core"
	Hypercorn = "hypercorn"
	Lighttpd  = "lighttpd"
	Tomcat    = "tomcat"
	Armeria   = "armeria"
)

// otherLimit is RequestLimit of Hypercorn and Armeria, and of servers that count over HTTP/1.1 alone.
func otherLimit(server string, met int, overHTTP1 bool) []Change {
	c := Change{Why: "HTTP/1.1 connections end at this count"}
	switch {
	case server == Hypercorn:
		c.For, c.Where, c.Why = "Hypercorn", "its configuration file (hypercorn.toml)", "1000 is the default"
		c.Line = fmt.Sprintf("keep_alive_max_requests = %d", Requests(met))
	case server == Armeria:
		c.For, c.Where, c.Why = "Armeria", "its ServerBuilder (0 is no limit, and the default)", costsConnections
		c.Line = ".maxNumRequestsPerConnection(0)"
	case !overHTTP1:
		return nil
	case server == Lighttpd:
		c.For, c.Where = "lighttpd", "lighttpd.conf"
		c.Line = fmt.Sprintf("server.max-keep-alive-requests = %d", Requests(met))
	case server == Tomcat:
		c.For, c.Where = "Tomcat", "server.xml, an attribute of the Connector (-1 is no limit)"
		c.Line = `maxKeepAliveRequests="-1"`
	default:
		return nil
	}
	return []Change{c}
}

// grpcAge is Age of gRPC's servers (gRFC A9), and of Armeria.
func grpcAge(server string) []Change {
	c := Change{Why: "the grace lets calls in flight end before the connection is closed"}
	switch server {
	case GRPCGo:
		c.For, c.Where = "a gRPC server in Go", "the call of grpc.NewServer"
		c.Line = "grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionAge: time.Hour, " +
			"MaxConnectionAgeGrace: time.Minute})"
	case GRPCJava:
		c.For, c.Where = "a gRPC server in Java", "its NettyServerBuilder"
		c.Line = ".maxConnectionAge(1, TimeUnit.HOURS).maxConnectionAgeGrace(1, TimeUnit.MINUTES)"
	case GRPCCore:
		c.For, c.Where = "a gRPC server on the C++ core", "its channel arguments (here in Python)"
		c.Line = `("grpc.max_connection_age_ms", 3600000), ("grpc.max_connection_age_grace_ms", 60000)`
	case Armeria:
		c.For, c.Where = "Armeria", "its ServerBuilder (0 is no limit, and the default)"
		c.Line, c.Why = ".maxConnectionAgeMillis(0)", "Armeria ends a connection at this age with two GOAWAYs"
	default:
		return nil
	}
	return []Change{c}
}

// Pings is what to change where a server ends connections because of the client's keepalive pings
// (gRPC: GOAWAY ENHANCE_YOUR_CALM, too_many_pings). The client's interval must not be shorter than
// the server's minimum, 5 minutes by default (grpc: doc/keepalive.md).
func Pings() []Change {
	const why = "a server that permits a ping each 5 minutes (gRPC's default) ends connections that ping more often"
	return []Change{
		{For: "a gRPC client in Go", Where: "the call of grpc.NewClient",
			Line: "grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: 20 * time.Second})",
			Why:  why},
		{For: "a gRPC client in Java", Where: "its channel builder", Line: "builder.keepAliveTime(6, TimeUnit.MINUTES)",
			Why: why},
		{For: "a gRPC client in Python, C++, Node or Ruby", Where: "the channel's options",
			Line: `("grpc.keepalive_time_ms", 360000)`, Why: why},
		{For: "a gRPC server in Go", Where: "the call of grpc.NewServer, if the client can't be changed",
			Line: "grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Minute, " +
				"PermitWithoutStream: true})",
			Why: "the shortest interval that the server permits"},
	}
}

// Resets is what to change where a server ends connections because the client resets many streams.
func Resets() []Change {
	return []Change{
		{For: "the client", Where: "its deadlines and cancellations", Line: "fewer cancelled requests, longer deadlines",
			Why: "each cancelled request resets a stream; servers limit resets since CVE-2023-44487"},
		{For: "Envoy ≥ 1.39", Where: "the HttpConnectionManager of the listener",
			Line: "http2_protocol_options: {stream_reset_burst: 100000, stream_reset_rate: 10000}",
			Why:  "nghttp2's defaults are 1000 at once and 33 more each second"},
	}
}

// CircuitBreaker is what to change where Envoy or Istio refuse requests by their own thresholds
// (response flag UO).
func CircuitBreaker() []Change {
	return []Change{
		{For: "Envoy", Where: "the cluster (1024 by default)",
			Line: "circuit_breakers:\n  thresholds:\n  - max_connections: 4096\n    max_pending_requests: 4096\n" +
				"    max_requests: 4096",
			Why: "requests beyond these thresholds are refused at once"},
		{For: "Istio", Where: "the DestinationRule of the host, spec",
			Line: "trafficPolicy:\n  connectionPool:\n    http:\n      http2MaxRequests: 4096\n" +
				"      http1MaxPendingRequests: 4096",
			Why: "Istio writes Envoy's thresholds from it"},
	}
}

// Streams is what to change where a server refuses streams because too many are open at once.
func Streams() []Change {
	const why = "the server refuses streams beyond this number on one connection"
	return []Change{
		{For: "nginx", Where: "http{} or server{} (128 by default)", Line: "http2_max_concurrent_streams 256;", Why: why},
		{For: "Envoy", Where: "the HttpConnectionManager of the listener",
			Line: "http2_protocol_options: {max_concurrent_streams: 1024}", Why: why},
	}
}

// Show is a command that finds the line to change in a server's configuration: h2lab lint where it reads that
// server's files, since a default stands in no file and a search for the directive's name finds nothing. The paths
// are those of the servers' packages; 9901 is the admin port of Envoy's examples.
func Show(server string) string {
	switch server {
	case IngressNginx:
		return "kubectl get configmap --all-namespaces -o yaml | h2lab lint --kind ingress-nginx -"
	case Envoy:
		return EnvoyAt("http://127.0.0.1:9901")
	case HAProxy:
		return "h2lab lint /etc/haproxy/haproxy.cfg"
	case Traefik:
		return "h2lab lint --kind traefik /etc/traefik"
	case Caddy:
		return "grep -n idle /etc/caddy/Caddyfile"
	case Apache:
		return "grep -rnE '^ *(MaxKeepAliveRequests|KeepAliveTimeout|MaxConnectionsPerChild)' /etc/apache2 /etc/httpd 2>/dev/null"
	case Unknown:
		return "h2lab probe https://HOST/"
	}
	return "nginx -vT 2>&1 | h2lab lint -"
}

// EnvoyAt is Show of the Envoy whose admin endpoint is at this address. Its config_dump also has what a control plane
// sent.
func EnvoyAt(admin string) string {
	return "curl -s " + text.ShellWord(admin+"/config_dump") + " | h2lab lint --kind envoy -"
}
