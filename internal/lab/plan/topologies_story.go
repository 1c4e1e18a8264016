package plan

import (
	"fmt"

	"h2lab/internal/facts"
)

// springGateway is Spring Cloud Gateway (services/spring), which like Envoy speaks HTTP/2 to the
// backend and sets no limit on requests per connection.
var springGateway = facts.Server{Name: "scg", Kind: facts.Gateway, Front: "127.0.0.1:18221",
	Counters: "127.0.0.1:18222", Argv: []string{"services/spring/out/run", "scg"},
	Upstreams: []facts.Upstream{{Name: backend.Name, Front: backend.Front}}}

// These two are Envoy without a limit as the reverse proxy before a gateway.
var (
	envoyBeforeEnvoy = facts.Server{Name: "envoy-envoy", Kind: facts.Envoy, Config: "envoy/unlimited-envoy.yaml",
		Front: "127.0.0.1:18251", Counters: "127.0.0.1:18252"}
	envoyBeforeSpring = facts.Server{Name: "envoy-scg", Kind: facts.Envoy, Config: "envoy/unlimited-scg.yaml",
		Front: "127.0.0.1:18281", Counters: "127.0.0.1:18282"}
)

// StoryTopologies are the chains with an API gateway that only story and sweeps measure: matrix
// has its gateway behind nginx with the low limit alone. limit is the low limit of the run.
func StoryTopologies(limit int) []facts.Topology {
	low := func(format string) string { return fmt.Sprintf(format, limit) }
	return []facts.Topology{
		{Name: "nginx-100000-envoy", Title: "nginx (100000 requests a connection), then Envoy as API gateway",
			Limit: HighLimit, LimitDirective: keepaliveRequests,
			Servers: []facts.Server{nginx("nginx-100000-envoy", "nginx/keepalive-100000-envoy.conf",
				"127.0.0.1:18241", "127.0.0.1:18242", ""), envoyUnlimited, backend}},
		{Name: "envoy-envoy", Title: "Envoy, no limit, then Envoy as API gateway",
			Servers: []facts.Server{envoyBeforeEnvoy, envoyUnlimited, backend}},
		{Name: "scg", Title: "Spring Cloud Gateway, no limit", Servers: []facts.Server{springGateway, backend}},
		{Name: low("nginx-%d-scg"),
			Title: low("nginx (%d requests a connection), then Spring Cloud Gateway as API gateway"),
			Limit: limit, LimitDirective: keepaliveRequests,
			Servers: []facts.Server{nginx("nginx-1000-scg", "nginx/keepalive-1000-scg.conf", "127.0.0.1:18231",
				"127.0.0.1:18232", ""), springGateway, backend}},
		{Name: "nginx-100000-scg",
			Title: "nginx (100000 requests a connection), then Spring Cloud Gateway as API gateway",
			Limit: HighLimit, LimitDirective: keepaliveRequests,
			Servers: []facts.Server{nginx("nginx-100000-scg", "nginx/keepalive-100000-scg.conf",
				"127.0.0.1:18271", "127.0.0.1:18272", ""), springGateway, backend}},
		{Name: "envoy-scg", Title: "Envoy, no limit, then Spring Cloud Gateway as API gateway",
			Servers: []facts.Server{envoyBeforeSpring, springGateway, backend}},
	}
}
