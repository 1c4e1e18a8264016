package plan

import "h2lab/internal/facts"

// mattersTopologies are nginx with the four limits of SWEEP=matters, the lowest limit first.
func mattersTopologies() []facts.Topology {
	all := Topologies(DefaultLimit)
	between := facts.Topology{Name: "nginx-10000", Title: "nginx, 10000 requests a connection",
		Limit: 10000, LimitDirective: keepaliveRequests,
		Servers: []facts.Server{nginx("nginx-10000", "nginx/keepalive-10000.conf", "127.0.0.1:18201",
			"127.0.0.1:18202", ""), backend}}
	return []facts.Topology{LowerTopologies(DefaultLimit)[0], all[1], between, all[2]}
}
