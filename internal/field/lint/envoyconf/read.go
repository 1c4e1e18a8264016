package envoyconf

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/field/lint"
)

// config is the content of all files together.
type config struct {
	bootstraps, listeners, clusters, routes []part
	files                                   []*lint.Source
	lists                                   []string        // the names of the files that are a list of resources
	dumps                                   []string        // the names of the files that are a /config_dump
	services                                map[string]bool // the clusters that Envoy itself asks: xDS, rate limits, tracers …
	stated                                  string          // the version that the files state
	wrong                                   error           // the first value that can't be read
}

func (c *config) read(f *lint.Source) error {
	c.files = append(c.files, f)
	docs, err := lint.ReadYAML(f.File)
	if err != nil {
		return err
	}
	if m := olderAPI.FindSubmatchIndex(f.Data); m != nil {
		from, to := max(m[2], m[4], m[6], m[8]), max(m[3], m[5], m[7], m[9])
		return lint.Refuse(f.Name, 1+bytes.Count(f.Data[:to], []byte("\n")), "%q belongs to version 2 of Envoy's API, which "+
			"Envoy 1.18 and newer refuse: migrate the file to version 3, "+
			"https://www.envoyproxy.io/docs/envoy/v1.17.4/faq/api/envoy_v3", f.Data[from:to])
	}
	for _, doc := range docs {
		c.findServices(doc)
		switch {
		case isDump(doc, 0):
			c.dumps = append(c.dumps, f.Name)
		case doc.Kind == lint.Sequence: // of listeners or clusters, as Envoy Gateway's tests have them
			c.lists = append(c.lists, f.Name)
		}
		if !c.collect(part{c, f, doc}) && !isDump(doc, 0) {
			return lint.Refuse(f.Name, doc.Line, "no Envoy configuration: neither a bootstrap, nor a config_dump, "+
				"nor a listener or cluster")
		}
	}
	return nil
}

// bootstrapKeys are the keys that only a bootstrap has, and no bare resource; listenerKeys and clusterKeys those
// that a listener or a cluster has, and no other resource.
var (
	bootstrapKeys = []string{"static_resources", "dynamic_resources", "admin", "overload_manager", "layered_runtime"}
	listenerKeys  = []string{"filter_chains", "default_filter_chain", "api_listener", "listener_filters"}
	clusterKeys   = []string{"load_assignment", "eds_cluster_config", "typed_extension_protocol_options", "lb_subset_config"}
)

func has(n *lint.Node, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return field(n, key) != nil })
}

// aside are what /config_dump has beside the resources in use.
var aside = []string{"warming_state", "draining_state", "error_state", "dynamic_warming_clusters"}

// collect finds the resources in a document, whether they name their types or not, and reports whether there are some: a
// bootstrap, a /config_dump or one section of it, a DiscoveryResponse, a list, one alone, or in what other programs put
// around them. A resource of another type has no setting of connections.
func (c *config) collect(p part) (found bool) {
	typ := shortType(p.text("@type"))
	is := func(name string, keys ...string) bool {
		return typ == "envoy.config."+name || typ == "" && has(p.node, keys)
	}
	switch {
	case is("bootstrap.v3.Bootstrap", bootstrapKeys...):
		c.bootstrap(p)
		c.listeners = append(c.listeners, p.items("static_resources/listeners")...)
		c.clusters = append(c.clusters, p.items("static_resources/clusters")...)
	case is("listener.v3.Listener", listenerKeys...):
		c.listeners = append(c.listeners, p)
	case is("cluster.v3.Cluster", append(clusterKeys, "connect_timeout")...):
		c.clusters = append(c.clusters, p)
	case is("route.v3.RouteConfiguration", "virtual_hosts"):
		c.routes = append(c.routes, p)
	case typ == "envoy.admin.v3.BootstrapConfigDump" && p.at("bootstrap").there():
		c.bootstrap(p.at("bootstrap")) // the other sections repeat its static resources
	default:
		found = strings.HasPrefix(typ, "envoy.")
		for _, f := range p.node.Fields {
			if !slices.ContainsFunc(aside, func(name string) bool { return f.Key == name || f.Key == camel(name) }) {
				found = c.collect(part{c, p.file, f.Value}) || found
			}
		}
		for _, item := range p.node.Items {
			found = c.collect(part{c, p.file, item}) || found
		}
		return found
	}
	return true
}

// isDump reports a /config_dump, one section of it, or a dump below up to three names, as `egctl config envoy-proxy`
// prints it.
func isDump(n *lint.Node, depth int) bool {
	if configs := n.At("configs"); configs != nil && configs.Kind == lint.Sequence {
		return true
	}
	if typ := shortType(n.Scalar("@type")); typ != "" || depth > 3 {
		return strings.HasPrefix(typ, "envoy.admin.v3.") && strings.HasSuffix(typ, "ConfigDump")
	}
	return slices.ContainsFunc(n.Fields, func(f lint.Field) bool { return isDump(f.Value, depth+1) })
}

func (c *config) bootstrap(p part) {
	c.bootstraps = append(c.bootstraps, p)
	if v := p.at("node/user_agent_build_version/version"); v.there() {
		c.stated = strings.Join([]string{v.text("major_number"), v.text("minor_number"), cmp.Or(v.text("patch"), "0")}, ".")
	}
}

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

// findServices collects the clusters that Envoy itself calls.
func (c *config) findServices(n *lint.Node) {
	for _, f := range n.Fields {
		for message, name := range calledBy {
			if f.Key == message || f.Key == camel(message) {
				for _, v := range (part{node: f.Value}).texts(name) {
					c.services[v] = true
				}
			}
		}
		if f.Key == "collector_cluster" || f.Key == camel("collector_cluster") {
			c.services[f.Value.Text] = true
		}
	}
	for _, inner := range n.Inner() {
		c.findServices(inner)
	}
}

// olderAPI matches what only version 2 of Envoy's API has, which Envoy 1.18 removed: types of its messages, "config" beside
// the "name" of an extension, and the fields "tls_context" and "hosts" of a cluster or a filter chain
// (https://www.envoyproxy.io/docs/envoy/latest/version_history/v1.18/v1.18.0).
var olderAPI = regexp.MustCompile(`@type["']?: *["']?\S*/(envoy\.(?:api|config|data|service|admin)\.(?:\w+\.)*v2(?:alpha\d*)?\.\w+)|` +
	`(?m:^)[\s-]*"?name"?: *"?envoy\.[\w.]+"?,?\s+"?(config)"?:|(?m:^|[{,])[\s-]*"?(tls_context)"?:|` +
	`(?m:^|[{,])[\s-]*"?(hosts)"?:[\s{\[-]*(?:"?socket_address|\])`)
