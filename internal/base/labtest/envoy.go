package labtest

import (
	"fmt"
	"strings"
)

// envoyYAML is an Envoy with TLS, HTTP/2 and HTTP/1.1 on a port, which answers each path itself.
const envoyYAML = `
admin: {address: {socket_address: {address: 127.0.0.1, port_value: %d}}}
static_resources:
  listeners:
  - address: {socket_address: {address: 127.0.0.1, port_value: %d}}
    filter_chains:
    - transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
          common_tls_context:
            alpn_protocols: [h2, http/1.1]
            tls_certificates: [{certificate_chain: {filename: server.crt}, private_key: {filename: server.key}}]
      filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: front
%s          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes:
              - match: {prefix: /}
                direct_response: {status: 200, body: {inline_string: "ok\n"}}
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
`

// EnvoyYAML is the configuration of an Envoy on the port, with its counters on another (0: any). The settings, YAML
// without indentation, join those of its HTTP connection manager.
func EnvoyYAML(port, admin int, settings string) string {
	var lines strings.Builder
	for line := range strings.Lines(strings.Trim(settings, "\n")) {
		lines.WriteString("          " + strings.TrimSuffix(line, "\n") + "\n")
	}
	return fmt.Sprintf(envoyYAML, admin, port, lines.String())
}
