package envoyconf

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// httpOptions is the key of a cluster's HTTP options, and their type.
const httpOptions = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"

// nginxLimit is the most common limit of an upstream: the default of nginx's keepalive_requests since
// 1.19.10.
const nginxLimit = 1000

// upstream is a cluster with its HTTP options, from either place where Envoy accepts them.
type upstream struct {
	part         // the cluster
	name         string
	typed        bool  // whether it has HTTP options
	options      part  // the HTTP options; the cluster when it has none
	h2, ping     bool  // whether it speaks HTTP/2, and sends PINGs
	limit        int64 // its own max_requests_per_connection; 0 means none
	retry, bonds part  // its own retry policy; the circuit breaker of ordinary requests
}

func newUpstream(cl part) upstream {
	options := cl.at("typed_extension_protocol_options/" + httpOptions)
	u := upstream{part: cl, name: cl.text("name"), typed: options.is(httpOptions), options: cl}
	if u.typed {
		u.options, u.retry = options, options.at("retry_policy")
	}
	h2 := cl.at("http2_protocol_options") // deprecated, and still in people's files
	for _, way := range []string{"explicit_http_config", "auto_config", "use_downstream_protocol_config"} {
		if block := u.options.at(way); u.typed && block.there() {
			h2 = block.at("http2_protocol_options")
			u.h2 = way == "auto_config" // ALPN decides; Envoy offers h2 even when the block is empty
			break
		}
	}
	u.h2, u.ping = u.h2 || h2.there(), h2.at("connection_keepalive").there()
	for _, from := range []part{u.options.at("common_http_protocol_options"), cl.at("common_http_protocol_options"), cl} {
		if n, _ := from.number("max_requests_per_connection"); n > 0 && u.limit == 0 {
			u.limit = n
		}
	}
	for _, t := range cl.items("circuit_breakers/thresholds") {
		if p := strings.ToUpper(t.text("priority")); (p == "" || p == "DEFAULT") && !u.bonds.there() {
			u.bonds = t
		}
	}
	return u
}

func (j *judge) cluster(u upstream) {
	for _, name := range []string{"max_requests_per_connection", "common_http_protocol_options",
		"http2_protocol_options", "http_protocol_options"} {
		if field(u.node, name) != nil {
			j.find("envoy/deprecated-field", u.part, name, "", facts.T("lintenvoy.deprecated", u.name, name, httpOptions))
		}
	}
	j.breakers(u)
	if !u.h2 {
		return
	}
	possible, routed := j.forClients(u)
	routes := j.ways[u.name]
	if u.retry.there() { // applies to all routes
		routes = routesOf(covers(u.retry))
	}
	switch {
	case !possible:
	case u.limit >= nginxLimit:
		j.find("envoy/upstream-limit-high", u.options, "common_http_protocol_options/max_requests_per_connection", "900",
			facts.T("lintenvoy.high", int(u.limit), nginxLimit))
	case u.limit == 0 && routes.seen > 0 && routes.seen == routes.covered:
		j.retries(u)
	case u.limit == 0:
		j.goaway(u, routes, routed)
	}
	if !u.ping {
		f := j.find("envoy/upstream-no-ping", u.options, "explicit_http_config/http2_protocol_options", "",
			facts.T("lintenvoy.no-ping", u.name))
		if explicit := u.options.at("explicit_http_config"); explicit.there() {
			explicit.within(f, "http2_protocol_options", "connection_keepalive: {interval: 30s, timeout: 5s}")
		}
	}
}

// breakers checks every threshold, whatever its priority.
func (j *judge) breakers(u upstream) {
	for _, t := range u.items("circuit_breakers/thresholds") {
		for _, name := range []string{"max_requests", "max_pending_requests"} {
			if n, set := t.number(name); set && int(n) < j.streams {
				j.find("envoy/breaker-low", t, name, "1024", facts.T("lintenvoy.breaker", u.name, name, int(n), j.streams))
			}
		}
	}
}

// refusedStream is the retry policy that sends again what a GOAWAY refused.
const refusedStream = "retry_policy: {retry_on: refused-stream, num_retries: 3}"

func (j *judge) goaway(u upstream, r routes, routed bool) {
	f := j.find("envoy/upstream-goaway", u.options, "common_http_protocol_options", "", facts.T("lintenvoy.goaway", u.name))
	switch {
	case !routed:
		f.Add(facts.T("lintenvoy.no-route"))
	case r.covered > 0:
		f.Add(facts.T("lintenvoy.some-routes", r.covered, r.seen))
	}
	if !routed {
		f.Severity = lint.Note
	}
	switch common := field(u.options.node, "common_http_protocol_options"); {
	case u.typed && common != nil:
		u.options.within(f, common.Key, "max_requests_per_connection: 900")
	case u.typed:
		u.options.add(f, "common_http_protocol_options:\n  max_requests_per_connection: 900\n"+refusedStream)
	}
}

// retries compares the retries that the circuit breaker allows with those that a renewal requires.
func (j *judge) retries(u upstream) {
	allowed, set := u.bonds.number("max_retries")
	if !set {
		allowed = 3
	}
	if u.bonds.at("retry_budget").there() || int(allowed) >= j.streams {
		return
	}
	const breaker = "circuit_breakers: {thresholds: [{max_retries: 1024}]}"
	f := j.find("envoy/retries-few", u.part, "circuit_breakers/thresholds", "",
		facts.T("lintenvoy.retries", u.name, int(allowed), j.streams))
	f.Fix = paste(u.file, breaker)
	switch {
	case field(u.node, "circuit_breakers") == nil:
		u.add(f, breaker)
	case set:
		u.bonds.swap(f, "1024", "max_retries")
	case u.bonds.there():
		u.bonds.add(f, "max_retries: 1024")
	}
}

// routes counts the routes that lead to a cluster; covered counts those that retry refused streams.
type routes struct{ seen, covered int }

func routesOf(covered bool) routes {
	if covered {
		return routes{1, 1}
	}
	return routes{1, 0}
}

// countRoutes counts the routes of all clusters in one pass: a dump may have thousands of both.
func countRoutes(configs []part) map[string]routes {
	out := map[string]routes{}
	for _, config := range configs {
		for _, host := range config.items("virtual_hosts") {
			for _, route := range host.items("routes") {
				policy := route.at("route/retry_policy")
				if !policy.there() {
					policy = host.at("retry_policy")
				}
				for _, name := range clustersOf(route) {
					r, one := out[name], routesOf(covers(policy))
					out[name] = routes{r.seen + one.seen, r.covered + one.covered}
				}
			}
		}
	}
	return out
}

// clustersOf returns the clusters that a route names.
func clustersOf(route part) []string {
	names := route.texts("route/cluster")
	for _, w := range route.items("route/weighted_clusters/clusters") {
		names = append(names, w.text("name"))
	}
	return names
}

// covers reports whether a policy retries a stream that the upstream refused. The policy sees streams
// refused by a GOAWAY as resets: each of these values of retry_on includes them
// (source/common/router/retry_state_impl.cc).
func covers(policy part) bool {
	return slices.ContainsFunc(strings.Split(policy.text("retry_on"), ","), func(on string) bool {
		return slices.Contains([]string{"refused-stream", "reset", "5xx", "gateway-error"}, strings.TrimSpace(on))
	})
}

// forClients reports whether requests of clients can go to a cluster, and whether a route says so.
func (j *judge) forClients(u upstream) (possible, routed bool) {
	if j.ways[u.name].seen > 0 {
		return true, true
	}
	if j.services[u.name] {
		return false, false
	}
	alone := len(j.listeners) == 0 && len(j.bootstraps) == 0 && len(j.dumps) == 0
	return alone || j.overRDS(), false
}

// overRDS reports whether routes of the listeners come from a control plane and are not in the files.
func (j *judge) overRDS() bool {
	for _, m := range j.managers {
		name := m.text("rds/route_config_name")
		switch {
		case m.at("scoped_routes").there():
			return len(j.routes) == 0
		case m.at("rds").there() && !slices.ContainsFunc(j.routes, func(r part) bool { return r.text("name") == name }):
			return true
		}
	}
	return false
}
