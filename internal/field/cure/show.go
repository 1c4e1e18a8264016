package cure

import "h2lab/internal/base/text"

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
