package envoyconf

import "h2lab/internal/field/lint"

// calledBy maps a message or a field of the API to the field in it that names a cluster which Envoy
// itself calls (config/core/v3/grpc_service.proto, config_source.proto and http_uri.proto; the HTTP
// tracers of config/trace/v3). No request of a client goes there.
var calledBy = map[string]string{
	"envoy_grpc":        "cluster_name",
	"api_config_source": "cluster_names",
	"ads_config":        "cluster_names",
	"http_uri":          "cluster",
	"server_uri":        "cluster",
	"uri":               "cluster",
}

// findServices collects the clusters that Envoy itself calls. It goes through the file, not through its
// messages, because most of the filters that call services are no types that this program has.
func (c *config) findServices(n *lint.Node) {
	for _, f := range n.Fields {
		for message, name := range calledBy {
			if f.Key != message && f.Key != camel(message) {
				continue
			}
			for _, v := range items(f.Value, name) {
				c.services[v.Text] = true
			}
		}
		if f.Key == "collector_cluster" || f.Key == camel("collector_cluster") {
			c.services[f.Value.Text] = true
		}
		c.findServices(f.Value)
	}
	for _, item := range n.Items {
		c.findServices(item)
	}
}

// overRDS reports whether routes of the listeners come from a control plane and are not in the files.
func (j *judge) overRDS() bool {
	here := map[string]bool{}
	for _, r := range j.routes {
		here[r.GetName()] = true
	}
	for _, m := range j.managers() {
		switch {
		case m.GetScopedRoutes() != nil:
			return len(j.routes) == 0
		case m.GetRds() != nil && !here[m.GetRds().GetRouteConfigName()]:
			return true
		}
	}
	return false
}

// forClients reports whether requests of clients can go to a cluster, and whether a route says so.
func (j *judge) forClients(u upstream) (possible, routed bool) {
	if j.ways[u.msg.GetName()].seen > 0 {
		return true, true
	}
	if j.services[u.msg.GetName()] {
		return false, false
	}
	alone := len(j.listeners) == 0 && len(j.bootstraps) == 0 && len(j.dumps) == 0
	return alone || j.overRDS(), false
}
