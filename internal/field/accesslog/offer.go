package accesslog

import (
	"strings"

	"h2lab/internal/field/cure"
)

// nginxAdds is what to add to http{} in nginx.conf so that h2lab can read the log.
var nginxAdds = []string{
	"add these two lines to http{} in nginx.conf, reload, wait for a few thousand requests:",
	"  log_format h2lab '" + combined + "'",
	"                   '" + added + "';",
	"  access_log /var/log/nginx/h2lab.log h2lab;",
	"next: nginx -t && nginx -s reload",
	"then: h2lab logs /var/log/nginx/h2lab.log",
}

// offers say what to add, in the words of each server.
var offers = map[string][]string{
	cure.Nginx: nginxAdds,
	cure.IngressNginx: {
		"add both to log-format-upstream, a key of the controller's ConfigMap:",
		"  log-format-upstream: '" + upstreaminfo + addedShort + "'",
		"next: kubectl get configmap --all-namespaces | grep -i nginx",
		"then, with the controller's pod: kubectl logs POD | h2lab logs -",
	},
	cure.Envoy: {
		"add %CONNECTION_ID% to the access log of the connection manager:",
		"  log_format: {text_format_source: {inline_string: '... conn=%CONNECTION_ID%' + a newline}}",
		`or in a JSON log: json_format: {start_time: "%START_TIME%", connection_id: "%CONNECTION_ID%", protocol: ` +
			`"%PROTOCOL%", response_code: "%RESPONSE_CODE%"}`,
		"next: grep -rnE 'log_format|json_format' /etc/envoy",
		"then: h2lab logs --format '<the whole format string>' FILE",
	},
	cure.Traefik: {
		"Traefik logs no number of the connection. Its JSON has the client's address and port, which identify it:",
		"  accessLog:",
		"    format: json",
		"    fields: {defaultMode: keep}",
		"next: grep -rn accessLog /etc/traefik",
		"then, after a restart of Traefik: h2lab logs FILE",
	},
	cure.Caddy: {
		"Caddy logs no number of the connection. Its JSON has request>remote_ip and request>remote_port, which " +
			"identify it; take out of the Caddyfile what hides them:",
		"  log {",
		"    format json",
		"  }",
		"next: caddy validate --config /etc/caddy/Caddyfile && systemctl reload caddy",
		"then: h2lab logs FILE",
	},
	cure.HAProxy: {
		"HAProxy logs no number of the connection. Its httplog has the client's address and port, which identify it:",
		"  option httplog",
		"next: haproxy -c -f /etc/haproxy/haproxy.cfg && systemctl reload haproxy",
	},
	cure.Unknown: anyServerAdds,
	cure.Apache: {
		"Apache httpd logs no number of the connection. The client's address and port identify it:",
		`  LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" port=%{remote}p" h2lab`,
		"  CustomLog logs/h2lab.log h2lab",
		"next: apachectl configtest && apachectl graceful",
		"then: h2lab logs logs/h2lab.log",
	},
}

// anyServerAdds is for a server whose name the log doesn't show.
var anyServerAdds = []string{
	"add one of these to the format, in the words of what writes it:",
	"  nginx, Angie, Tengine, OpenResty, APISIX, Kong:" + addedShort,
	"  Envoy and what is built on it: conn=%CONNECTION_ID%",
	"  Apache httpd, Tomcat: port=%{remote}p",
	"  H2O: conn=%{connection-id}x",
	"  Varnish: sess=%{VSL:Begin[2]}x",
	"  Squid: %>a:%>p",
	"  what can't log any of these, as IIS: read the log of the proxy before it",
	"then: h2lab logs FILE",
}

// Offer is what to add to a server's configuration so that h2lab can read its log.
func Offer(server string) string { return strings.Join(offers[server], "\n") }
