package envoyconf

import (
	"fmt"
	"strings"

	bootstrapv3 "github.com/envoyproxy/go-control-plane/envoy/config/bootstrap/v3"
	routev3 "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"

	hcmv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"

	"h2lab/internal/field/lint"
)

// managers returns the HttpConnectionManagers of all listeners.
func (j *judge) managers() []*hcmv3.HttpConnectionManager {
	var out []*hcmv3.HttpConnectionManager
	for _, l := range j.listeners {
		chains := l.msg.GetFilterChains()
		if d := l.msg.GetDefaultFilterChain(); d != nil {
			chains = append(chains[:len(chains):len(chains)], d)
		}
		for _, fc := range chains {
			for _, filter := range fc.GetFilters() {
				hcm := new(hcmv3.HttpConnectionManager)
				if unpack(filter.GetTypedConfig(), hcm) {
					out = append(out, hcm)
				}
			}
		}
	}
	return out
}

// routeConfigs returns all route configurations of the files: bare ones and those within listeners.
func (j *judge) routeConfigs() []*routev3.RouteConfiguration {
	out := append([]*routev3.RouteConfiguration(nil), j.routes...)
	for _, m := range j.managers() {
		if m.GetRouteConfig() != nil {
			out = append(out, m.GetRouteConfig())
		}
	}
	return out
}

// mostNamed bounds the clusters that the report names for one listener.
const mostNamed = 4

// upstreams describes the limits of the connections behind a listener.
func (j *judge) upstreams(c *chain) string {
	var out []string
	more := 0
	seen := map[string]bool{}
	for _, host := range c.hcm.GetRouteConfig().GetVirtualHosts() {
		for _, route := range host.GetRoutes() {
			for _, name := range clustersOf(route.GetRoute()) {
				u, there := j.upstream[name]
				switch {
				case seen[name] || !there:
				case len(out) == mostNamed:
					more++
				default:
					out = append(out, u.words())
				}
				seen[name] = true
			}
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}

// words describes a cluster's protocol and its limit.
func (u upstream) words() string {
	protocol, limit := "http/1.1", "no limit"
	if u.h2 != nil {
		protocol = "h2"
	}
	if n := u.limit(); n > 0 {
		limit = fmt.Sprintf("%d requests a connection", n)
	}
	return fmt.Sprintf("%s: %s, %s", u.msg.GetName(), protocol, limit)
}

// The overload actions and load shed points that end connections
// (envoy/config/overload/v3/overload.proto).
var endsConnections = map[string]string{
	"envoy.overload_actions.disable_http_keepalive": "drains every HTTP connection that has a request",
	"envoy.overload_actions.close_idle_http_connections": "closes idle connections, " +
		"which the next burst then misses",
	"envoy.load_shed_points.http2_server_go_away_on_dispatch": "answers with GOAWAY",
	"envoy.load_shed_points.http2_server_go_away_and_close_on_dispatch": "answers with GOAWAY and closes at once: " +
		"requests in flight are lost",
}

func (j *judge) overload(b resource[*bootstrapv3.Bootstrap]) {
	manager := b.msg.GetOverloadManager()
	actions := items(b.node, "overload_manager", "actions")
	for i, a := range manager.GetActions() {
		j.shed(b.file, actions[i], a.GetName())
	}
	points := items(b.node, "overload_manager", "loadshed_points")
	for i, p := range manager.GetLoadshedPoints() {
		j.shed(b.file, points[i], p.GetName())
	}
}

func (j *judge) shed(file *lint.Source, n *lint.Node, name string) {
	what, ends := endsConnections[name]
	if !ends {
		return
	}
	if strings.HasSuffix(name, "go_away_on_dispatch") && !j.version.AtLeast(1, 39) {
		what += " in one stage (two since 1.39): requests in flight are lost"
	}
	j.find(overloadDrain, file, lineOf(n, "name"), "%s %s.", name, what)
}
