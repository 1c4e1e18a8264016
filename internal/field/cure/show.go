package cure

// Show is a command that prints what a server's configuration says about the end of connections. The paths
// are those of the servers' packages.
func Show(server string) string {
	switch server {
	case IngressNginx:
		return "kubectl get configmap --all-namespaces -o yaml | grep -n keep-alive"
	case Envoy:
		return "grep -rnE 'max_requests_per_connection|max_connection_duration|idle_timeout' /etc/envoy"
	case HAProxy:
		return "grep -nE 'max-total-streams|timeout (client|http-keep-alive)' /etc/haproxy/haproxy.cfg"
	case Traefik:
		return "grep -rnE 'keepAliveMax(Requests|Time)|idleTimeout' /etc/traefik"
	case Caddy:
		return "grep -n idle /etc/caddy/Caddyfile"
	case Apache:
		return "grep -rnE 'MaxKeepAliveRequests|KeepAliveTimeout' /etc/apache2 /etc/httpd"
	}
	return "nginx -T 2>/dev/null | grep -nE 'keepalive_(requests|time|timeout)'"
}
