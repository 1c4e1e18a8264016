package foreign

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

// Charts and frameworks have the settings of servers under names of their own spelling.
func TestSettingsOfConnectionsAreNamedInAnySpelling(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct{ name, text, want string }{
		{"values of a chart in camelCase", "nginx:\n  keepAliveRequests: 100\n", "keepAliveRequests: 100 in line 2, how many requests a connection takes"},
		{"streams in camelCase", "a: {b: {http2MaxConcurrentStreams: 32}}\n", "http2MaxConcurrentStreams: 32 in line 1, how many requests a connection has in flight"},
		{"a framework's settings with dashes", "server:\n  tomcat:\n    max-keep-alive-requests: 10\n",
			"max-keep-alive-requests: 10 in line 3, how many requests"},
		{"an age of gRPC in a list", "servers:\n- maxConnectionAge: 30s\n", "maxConnectionAge: 30s in line 2, how long a connection lives"},
		{"more settings than a line holds", "- {keepalive_timeout: 1}\n- {keepalive_timeout: 2}\n- {keepalive_timeout: 3}\n- {keepalive_timeout: 4}\n" +
			"- {keepalive_timeout: 5}\n", "keepalive_timeout: 4 in line 4, how long an idle connection is kept; and 1 more)"},
		{"properties of a framework", "server.port=1\nserver.tomcat.max-keep-alive-requests = 10\n", "max-keep-alive-requests: 10 in line 2,"},
		{"a server in Go", "s := keepalive.ServerParameters{\n\tMaxConnectionAge: 30 * time.Second,\n}\n", "MaxConnectionAge: 30 in line 2,"},
		{"a server in Java", "b.forPort(1)\n  .maxConnectionAge(30, SECONDS)\n", "maxConnectionAge: 30 in line 2,"},
		{"a server in JavaScript", "new Server({\n  'grpc.max_connection_age_ms': 30000,\n})\n", "max_connection_age_ms: 30000 in line 2,"},
		{"Tomcat's server.xml", "<Server>\n<Connector port=\"1\" maxKeepAliveRequests=\"100\"/>\n", "maxKeepAliveRequests: 100 in line 2,"},
		{"directives of nginx within other text", "x = <<EOT\n  keepalive_requests 100;\nEOT\n", "keepalive_requests: 100 in line 2,"},
	} {
		faults.Try("lint gets "+c.name, func(t *testing.T) {
			if err := Settings(lint.File{Name: "v.yaml", Data: []byte(c.text)}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	for _, text := range []string{"keepAliveRequests: {a: b}\n", "timeout: 5\n", "a: [\n", "", "# keepalive_requests 100;\n",
		"x = 1\n// maxConnectionAge(30)\n", "keepalive_time: 10\n"} {
		if err := Settings(lint.File{Name: "v.yaml", Data: []byte(text)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
