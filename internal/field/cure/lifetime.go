package cure

import "slices"

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
