package plan

import (
	"fmt"
	"strings"

	"h2lab/internal/base/kinds"
	"h2lab/internal/facts"
)

// HighLimit is the keepalive_requests of the cured nginx.
const HighLimit = 100000

// DefaultLimit is nginx's own default for keepalive_requests since 1.19.10 (nginx commit
// eb52de831).
const DefaultLimit = 1000

var (
	backend = facts.Server{Name: "backend", Kind: facts.Backend, Front: "127.0.0.1:18443", Counters: "127.0.0.1:18090"}
	envoy   = server("envoy", facts.Envoy, "envoy/unlimited.yaml", 18121)
	// springGateway is Spring Cloud Gateway (services/spring), which like Envoy speaks HTTP/2 to the backend and sets no limit
	// on requests per connection.
	springGateway = facts.Server{Name: "scg", Kind: facts.Gateway, Front: "127.0.0.1:18221", Counters: "127.0.0.1:18222",
		Argv: []string{"services/spring/out/run", "scg"}, Upstreams: []facts.Upstream{{Name: backend.Name, Front: backend.Front}}}
)

// server is one with a configuration. Its counters are on the port after its front.
func server(name string, kind facts.Kind, config string, port int) facts.Server {
	return facts.Server{Name: name, Kind: kind, Config: config, Front: fmt.Sprintf("127.0.0.1:%d", port),
		Counters: fmt.Sprintf("127.0.0.1:%d", port+1)}
}

// nginx is nginx with a limit, in a file of nginx/ that is named for it; than has what differs.
func nginx(limit, port int, than string) facts.Server {
	s := server(fmt.Sprintf("nginx-%d%s", limit, than), facts.Nginx, fmt.Sprintf("nginx/keepalive-%d%s.conf", limit, than), port)
	s.UsedLog, s.HundredsLog = "var/"+s.Name+".used.log", "var/hundreds.log"
	return s
}

// limited is a topology whose front is nginx with a limit, which its title has as well.
func limited(limit int, name, title string, front facts.Server, upstream ...facts.Server) facts.Topology {
	return facts.Topology{Name: fmt.Sprintf("nginx-%d", limit) + name, Title: facts.T(title, fmt.Sprint(limit)), Limit: limit,
		LimitDirective: kinds.Of(front.Kind).Limit, Servers: append(append([]facts.Server{front}, upstream...), backend)}
}

// drained is a topology whose front is Envoy with a limit.
func drained(limit int, front facts.Server) facts.Topology {
	return facts.Topology{Name: fmt.Sprintf("envoy-%d", limit), Limit: limit, Drains: true,
		LimitDirective: strings.TrimSuffix(kinds.Of(front.Kind).Limit, ":"),
		Title:          facts.T("lab.title-envoy-drains", fmt.Sprint(limit)),
		Servers:        []facts.Server{front, backend}}
}

// unlimited is a topology that is named for its front, which sets no limit.
func unlimited(title string, front facts.Server, upstream ...facts.Server) facts.Topology {
	return facts.Topology{Name: front.Name, Title: facts.T(title), Servers: append(append([]facts.Server{front}, upstream...), backend)}
}

// Topologies are the chains of servers to the backend. limit is the low limit of the run: it
// replaces 1000 in the names, as in the configurations.
func Topologies(limit int) []facts.Topology {
	h2 := nginx(DefaultLimit, 18151, "-h2-upstream")
	h2.MinVersion = "1.29.4"
	return []facts.Topology{
		{Name: "direct", Title: facts.T("lab.title-direct"), Servers: []facts.Server{backend}},
		limited(limit, "", "lab.title-nginx", nginx(DefaultLimit, 18101, "")),
		limited(HighLimit, "", "lab.title-nginx", nginx(HighLimit, 18111, "")),
		unlimited("lab.title-envoy", envoy),
		drained(limit, server("envoy-1000", facts.Envoy, "envoy/max-requests-1000.yaml", 18131)),
		limited(limit, "-envoy", "lab.title-nginx-envoy", nginx(DefaultLimit, 18141, "-envoy"), envoy),
		limited(limit, "-h2-upstream", "lab.title-nginx-h2", h2),
		unlimited("lab.title-haproxy", server("haproxy", kinds.HAProxy, "haproxy/unlimited.cfg", 18171)),
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
	return []facts.Topology{limited(LowerLimit, "", "lab.title-nginx", nginx(LowerLimit, 18181, "")),
		drained(LowerLimit, server("envoy-100", facts.Envoy, "envoy/max-requests-100.yaml", 18191))}
}

// mattersTopologies are nginx with the four limits of SWEEP=matters, the lowest limit first.
func mattersTopologies() []facts.Topology {
	all := Topologies(DefaultLimit)
	return []facts.Topology{LowerTopologies(DefaultLimit)[0], all[1],
		limited(10000, "", "lab.title-nginx", nginx(10000, 18201, "")), all[2]}
}

// StoryTopologies are the chains with an API gateway that only story and sweeps measure: matrix
// has its gateway behind nginx with the low limit alone. limit is the low limit of the run.
func StoryTopologies(limit int) []facts.Topology {
	return []facts.Topology{
		limited(HighLimit, "-envoy", "lab.title-nginx-envoy", nginx(HighLimit, 18241, "-envoy"), envoy),
		unlimited("lab.title-envoy-envoy", server("envoy-envoy", facts.Envoy, "envoy/unlimited-envoy.yaml", 18251), envoy),
		unlimited("lab.title-spring", springGateway),
		limited(limit, "-scg", "lab.title-nginx-spring", nginx(DefaultLimit, 18231, "-scg"), springGateway),
		limited(HighLimit, "-scg", "lab.title-nginx-spring", nginx(HighLimit, 18271, "-scg"), springGateway),
		unlimited("lab.title-envoy-spring", server("envoy-scg", facts.Envoy, "envoy/unlimited-scg.yaml", 18281), springGateway),
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
