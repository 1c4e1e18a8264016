package envoyconf

import (
	"fmt"
	"slices"
	"strings"

	clusterv3 "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	routev3 "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	upstreamv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"

	"h2lab/internal/field/lint"
)

// httpOptions is the key of a cluster's HTTP options.
const httpOptions = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"

// nginxLimit is the most common limit of an upstream: the default of nginx's keepalive_requests since
// 1.19.10.
const nginxLimit = 1000

// upstream is a cluster with its HTTP options, from either place where Envoy accepts them.
type upstream struct {
	resource[*clusterv3.Cluster]
	options *upstreamv3.HttpProtocolOptions // empty when the cluster has none
	node    *lint.Node                      // of the options; of the cluster when it has none
	typed   bool
	h2      *corev3.Http2ProtocolOptions // nil when the cluster never speaks HTTP/2
}

func newUpstream(cl resource[*clusterv3.Cluster]) upstream {
	u := upstream{resource: cl, options: new(upstreamv3.HttpProtocolOptions), node: cl.node}
	if packed := cl.msg.GetTypedExtensionProtocolOptions()[httpOptions]; packed != nil && unpack(packed, u.options) {
		u.typed = true
		u.node, _ = under(cl.node, "typed_extension_protocol_options", httpOptions)
	}
	switch o := u.options; {
	case o.GetExplicitHttpConfig() != nil:
		u.h2 = o.GetExplicitHttpConfig().GetHttp2ProtocolOptions()
	case o.GetAutoConfig() != nil: // ALPN decides; Envoy offers h2 even when the block is empty
		u.h2 = orEmpty(o.GetAutoConfig().GetHttp2ProtocolOptions())
	case o.GetUseDownstreamProtocolConfig() != nil:
		u.h2 = o.GetUseDownstreamProtocolConfig().GetHttp2ProtocolOptions()
	default:
		//lint:ignore SA1019 deprecated, and still in people's files
		u.h2 = cl.msg.GetHttp2ProtocolOptions()
	}
	return u
}

func orEmpty(o *corev3.Http2ProtocolOptions) *corev3.Http2ProtocolOptions {
	if o == nil {
		return new(corev3.Http2ProtocolOptions)
	}
	return o
}

// limit is the cluster's own max_requests_per_connection; 0 means none.
func (u upstream) limit() uint32 {
	if n := u.options.GetCommonHttpProtocolOptions().GetMaxRequestsPerConnection().GetValue(); n > 0 {
		return n
	}
	//lint:ignore SA1019 deprecated, and still in people's files
	if n := u.msg.GetCommonHttpProtocolOptions().GetMaxRequestsPerConnection().GetValue(); n > 0 {
		return n
	}
	//lint:ignore SA1019 the same
	return u.msg.GetMaxRequestsPerConnection().GetValue()
}

func (j *judge) cluster(u upstream) {
	old := j.old(u)
	j.breakers(u)
	if u.h2 == nil {
		return
	}
	var missing []string // what the change of a cluster with deprecated fields adds
	possible, routed := j.forClients(u)
	routes := j.routesTo(u)
	switch limit := u.limit(); {
	case !possible:
	case limit >= nginxLimit:
		j.tooHigh(u, limit)
	case limit == 0 && routes.retried():
		j.retries(u)
	case limit == 0:
		j.goaway(u, routes, routed)
		missing = append(missing, "common_http_protocol_options: {max_requests_per_connection: 900}", refusedStream)
	}
	keepalive := ""
	if u.h2.GetConnectionKeepalive() == nil {
		keepalive = "connection_keepalive: {interval: 30s, timeout: 5s}"
		f := j.find(noPing, u.file, lineOf(u.node, "explicit_http_config", "http2_protocol_options"),
			"Cluster %s sends no PINGs.", u.msg.GetName())
		if explicit, there := under(u.node, "explicit_http_config"); there {
			within(f, u.file, explicit, "http2_protocol_options", keepalive)
		}
	}
	if old >= 0 {
		j.modernize(u, &j.report.Findings[old], append(missing, "explicit_http_config: {http2_protocol_options: {"+keepalive+"}}"))
	}
}

// refusedStream is the retry policy that sends again what a GOAWAY refused.
const refusedStream = "retry_policy: {retry_on: refused-stream, num_retries: 3}"

// modernize replaces the deprecated http2_protocol_options of a cluster by the HTTP options that Envoy
// reads today, with what the cluster's other findings ask for.
func (j *judge) modernize(u upstream, f *lint.Finding, options []string) {
	line := u.file.Line(f.Line)
	indent := strings.Repeat(" ", len(line)-len(strings.TrimPrefix(line, "- ")))
	before, is := strings.CutSuffix(line, "http2_protocol_options: {}")
	if !is || strings.TrimLeft(before, "- ") != "" || u.typed || asJSON(u.file) {
		return
	}
	f.Found = line
	f.Fix = before + strings.ReplaceAll("typed_extension_protocol_options:\n  "+httpOptions+
		":\n    \"@type\": type.googleapis.com/"+httpOptions+"\n    "+strings.Join(options, "\n    "), "\n", "\n"+indent)
}

func (j *judge) tooHigh(u upstream, limit uint32) {
	f := j.find(upstreamHigh, u.file, lineOf(u.node, "common_http_protocol_options", "max_requests_per_connection"),
		"%d is not below nginx's default of %d.", limit, nginxLimit)
	j.swap(f, u.file, u.node, "900", "common_http_protocol_options", "max_requests_per_connection")
}

func (j *judge) goaway(u upstream, r routes, routed bool) {
	why := "no retry policy with refused-stream and no max_requests_per_connection. At each GOAWAY of nginx or a Go " +
		"server, Envoy answers the requests above its last-stream-id with 503."
	switch {
	case !routed:
		why += " (No route of these files leads here; one that comes over RDS may have a policy.)"
	case r.covered > 0:
		why += fmt.Sprintf(" (%d of %d routes have a policy.)", r.covered, r.seen)
	}
	f := j.find(upstreamGoaway, u.file, lineOf(u.node, "common_http_protocol_options"), "Cluster %s: %s",
		u.msg.GetName(), why)
	if !routed {
		f.Severity = lint.Note
	}
	switch common := field(u.node, "common_http_protocol_options"); {
	case u.typed && common != nil:
		within(f, u.file, u.node, common.Key, "max_requests_per_connection: 900")
	case u.typed:
		add(f, u.file, u.node, "common_http_protocol_options:\n  max_requests_per_connection: 900\n"+refusedStream)
	}
}

// retries compares the retries that the circuit breaker allows with those that a renewal requires.
func (j *judge) retries(u upstream) {
	allowed := uint32(3)
	for _, t := range u.msg.GetCircuitBreakers().GetThresholds() {
		if t.GetPriority() != corev3.RoutingPriority_DEFAULT {
			continue
		}
		if t.GetRetryBudget() != nil {
			return
		}
		if t.GetMaxRetries() != nil {
			allowed = t.GetMaxRetries().GetValue()
		}
	}
	if int(allowed) >= j.options.Streams() {
		return
	}
	f := j.find(retriesFew, u.file, lineOf(u.resource.node, "circuit_breakers", "thresholds"),
		"Cluster %s retries %d requests at once, of up to %d that a GOAWAY refuses together.", u.msg.GetName(), allowed,
		j.options.Streams())
	f.Fix = paste(u.file, "circuit_breakers: {thresholds: [{max_retries: 1024}]}")
	if field(u.resource.node, "circuit_breakers") == nil {
		add(f, u.file, u.resource.node, "circuit_breakers: {thresholds: [{max_retries: 1024}]}")
		return
	}
	for i, t := range u.msg.GetCircuitBreakers().GetThresholds() {
		if list := items(u.resource.node, "circuit_breakers", "thresholds"); t.GetPriority() == corev3.RoutingPriority_DEFAULT {
			if t.GetMaxRetries() != nil {
				j.swap(f, u.file, list[i], "1024", "max_retries")
			} else {
				add(f, u.file, list[i], "max_retries: 1024")
			}
			return
		}
	}
}

func (j *judge) breakers(u upstream) {
	list := items(u.resource.node, "circuit_breakers", "thresholds")
	for i, t := range u.msg.GetCircuitBreakers().GetThresholds() {
		for _, b := range []struct {
			field string
			set   bool
			value uint32
		}{
			{"max_requests", t.GetMaxRequests() != nil, t.GetMaxRequests().GetValue()},
			{"max_pending_requests", t.GetMaxPendingRequests() != nil, t.GetMaxPendingRequests().GetValue()},
		} {
			if b.set && int(b.value) < j.options.Streams() && i < len(list) {
				f := j.find(breakers, u.file, lineOf(list[i], b.field),
					"Cluster %s: %s is %d, for %d requests in flight.", u.msg.GetName(), b.field, b.value,
					j.options.Streams())
				j.swap(f, u.file, list[i], "1024", b.field)
			}
		}
	}
}

// old reports deprecated fields. It returns the index of the finding on http2_protocol_options, or -1.
func (j *judge) old(u upstream) int {
	at := -1
	for _, name := range []string{"max_requests_per_connection", "common_http_protocol_options",
		"http2_protocol_options", "http_protocol_options"} {
		if f := field(u.resource.node, name); f != nil {
			if name == "http2_protocol_options" {
				at = len(j.report.Findings)
			}
			j.find(deprecated, u.file, f.Line, "Cluster %s: %s is deprecated; its place is %s.", u.msg.GetName(), name,
				httpOptions)
		}
	}
	return at
}

// routes counts the routes that lead to a cluster; covered counts those that retry refused streams.
type routes struct{ seen, covered int }

func (r routes) retried() bool { return r.seen > 0 && r.seen == r.covered }

// routesTo counts the routes to a cluster, and those whose retry policy sends a refused stream again.
// The cluster's own policy applies to all of them.
func (j *judge) routesTo(u upstream) routes {
	if p := u.options.GetRetryPolicy(); p != nil {
		if covers(p) {
			return routes{1, 1}
		}
		return routes{1, 0}
	}
	return j.ways[u.msg.GetName()]
}

// countRoutes counts the routes of all clusters in one pass: a dump may have thousands of both.
func countRoutes(configs []*routev3.RouteConfiguration) map[string]routes {
	out := map[string]routes{}
	for _, config := range configs {
		for _, host := range config.GetVirtualHosts() {
			for _, route := range host.GetRoutes() {
				policy := route.GetRoute().GetRetryPolicy()
				if policy == nil {
					policy = host.GetRetryPolicy()
				}
				for _, name := range clustersOf(route.GetRoute()) {
					r := out[name]
					r.seen++
					if covers(policy) {
						r.covered++
					}
					out[name] = r
				}
			}
		}
	}
	return out
}

// clustersOf returns the clusters that a route names.
func clustersOf(a *routev3.RouteAction) []string {
	var names []string
	if a.GetCluster() != "" {
		names = append(names, a.GetCluster())
	}
	for _, w := range a.GetWeightedClusters().GetClusters() {
		names = append(names, w.GetName())
	}
	return names
}

// covers reports whether a policy retries a stream that the upstream refused. The policy sees streams
// refused by a GOAWAY as resets: each of these values of retry_on includes them
// (source/common/router/retry_state_impl.cc).
func covers(p *routev3.RetryPolicy) bool {
	for _, on := range strings.Split(p.GetRetryOn(), ",") {
		if slices.Contains([]string{"refused-stream", "reset", "5xx", "gateway-error"}, strings.TrimSpace(on)) {
			return true
		}
	}
	return false
}
