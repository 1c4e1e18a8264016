package plan

import (
	"fmt"

	"h2lab/internal/facts"
)

// HighLimit is the keepalive_requests of the cured nginx.
const HighLimit = 100000

// DefaultLimit is nginx's own default for keepalive_requests since 1.19.10 (nginx commit
// eb52de831).
const DefaultLimit = 1000

const (
	keepaliveRequests = "keepalive_requests"
	maxRequests       = "max_requests_per_connection"
)

var backend = facts.Server{Name: "backend", Kind: facts.Backend, Front: "127.0.0.1:18443", Counters: "127.0.0.1:18090"}

var envoyUnlimited = facts.Server{Name: "envoy", Kind: facts.Envoy, Config: "envoy/unlimited.yaml",
	Front: "127.0.0.1:18121", Counters: "127.0.0.1:18122"}

func nginx(name, config, front, counters, minVersion string) facts.Server {
	return facts.Server{Name: name, Kind: facts.Nginx, Config: config, Front: front, Counters: counters,
		UsedLog: "var/" + name + ".used.log", HundredsLog: "var/hundreds.log", MinVersion: minVersion}
}

// Topologies are the chains of servers to the backend. limit is the low limit of the run: it
// replaces 1000 in the names, as in the configurations.
func Topologies(limit int) []facts.Topology {
	low := func(format string) string { return fmt.Sprintf(format, limit) }
	return []facts.Topology{
		{Name: "direct", Title: "the backend itself, no proxy", Servers: []facts.Server{backend}},
		{Name: low("nginx-%d"), Title: low("nginx, %d requests a connection"),
			Limit: limit, LimitDirective: keepaliveRequests,
			Servers: []facts.Server{nginx("nginx-1000", "nginx/keepalive-1000.conf", "127.0.0.1:18101",
				"127.0.0.1:18102", ""), backend}},
		{Name: "nginx-100000", Title: "nginx, 100000 requests a connection",
			Limit: HighLimit, LimitDirective: keepaliveRequests,
			Servers: []facts.Server{nginx("nginx-100000", "nginx/keepalive-100000.conf", "127.0.0.1:18111",
				"127.0.0.1:18112", ""), backend}},
		{Name: "envoy", Title: "Envoy, no limit", Servers: []facts.Server{envoyUnlimited, backend}},
		{Name: low("envoy-%d"), Title: low("Envoy, about %d requests a connection, then a two-stage GOAWAY"),
			Limit: limit, LimitDirective: maxRequests, Drains: true,
			Servers: []facts.Server{{Name: "envoy-1000", Kind: facts.Envoy, Config: "envoy/max-requests-1000.yaml",
				Front: "127.0.0.1:18131", Counters: "127.0.0.1:18132"}, backend}},
		{Name: low("nginx-%d-envoy"), Title: low("nginx (%d requests a connection), then Envoy as API gateway"),
			Limit: limit, LimitDirective: keepaliveRequests,
			Servers: []facts.Server{nginx("nginx-1000-envoy", "nginx/keepalive-1000-envoy.conf", "127.0.0.1:18141",
				"127.0.0.1:18142", ""), envoyUnlimited, backend}},
		{Name: low("nginx-%d-h2-upstream"), Title: low("nginx, %d requests a connection, HTTP/2 to the backend too"),
			Limit: limit, LimitDirective: keepaliveRequests,
			Servers: []facts.Server{nginx("nginx-1000-h2-upstream", "nginx/keepalive-1000-h2-upstream.conf",
				"127.0.0.1:18151", "127.0.0.1:18152", "1.29.4"), backend}},
	}
}

// LowerLimit is the limit of the servers on which `clients` measures clients that use up too few
// connections at the run's limit.
const LowerLimit = 100

// LowerTopologies are nginx-100 and envoy-100, or none where the run's limit is as low already.
func LowerTopologies(limit int) []facts.Topology {
	if limit <= LowerLimit {
		return nil
	}
	return []facts.Topology{
		{Name: "nginx-100", Title: "nginx, 100 requests a connection",
			Limit: LowerLimit, LimitDirective: keepaliveRequests,
			Servers: []facts.Server{nginx("nginx-100", "nginx/keepalive-100.conf", "127.0.0.1:18181",
				"127.0.0.1:18182", ""), backend}},
		{Name: "envoy-100", Title: "Envoy, about 100 requests a connection, then a two-stage GOAWAY",
			Limit: LowerLimit, LimitDirective: maxRequests, Drains: true,
			Servers: []facts.Server{{Name: "envoy-100", Kind: facts.Envoy, Config: "envoy/max-requests-100.yaml",
				Front: "127.0.0.1:18191", Counters: "127.0.0.1:18192"}, backend}},
	}
}

// Servers are the distinct servers of some topologies, the backend first, so that each one's
// upstream starts before it.
func Servers(topologies []facts.Topology) []facts.Server {
	var out []facts.Server
	seen := map[string]bool{}
	for _, t := range topologies {
		for i := len(t.Servers) - 1; i >= 0; i-- {
			if s := t.Servers[i]; !seen[s.Name] {
				seen[s.Name] = true
				out = append(out, s)
			}
		}
	}
	return out
}

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

// mattersTopologies are nginx with the four limits of SWEEP=matters, the lowest limit first.
func mattersTopologies() []facts.Topology {
	all := Topologies(DefaultLimit)
	between := facts.Topology{Name: "nginx-10000", Title: "nginx, 10000 requests a connection",
		Limit: 10000, LimitDirective: keepaliveRequests,
		Servers: []facts.Server{nginx("nginx-10000", "nginx/keepalive-10000.conf", "127.0.0.1:18201",
			"127.0.0.1:18202", ""), backend}}
	return []facts.Topology{LowerTopologies(DefaultLimit)[0], all[1], between, all[2]}
}
