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
		return lint.Refuse(f.Name, 1+bytes.Count(f.Data[:to], []byte("\n")), "%q belongs to version 2 of Envoy's API, which Envoy 1.18 "+
			"and newer refuse: migrate the file to version 3, https://www.envoyproxy.io/docs/envoy/v1.17.4/faq/api/envoy_v3", f.Data[from:to])
	}
	return each(docs, func(doc *lint.Node) error { return c.document(part{c, f, doc}) })
}

// bootstrapKeys are the keys that only a bootstrap has, and no bare resource; listenerKeys and clusterKeys those
// that a listener or a cluster has, and no other resource.
var (
	bootstrapKeys = []string{"static_resources", "dynamic_resources", "admin", "overload_manager", "layered_runtime"}
	listenerKeys  = []string{"filter_chains", "default_filter_chain", "api_listener", "listener_filters"}
	clusterKeys   = []string{"load_assignment", "eds_cluster_config", "typed_extension_protocol_options", "lb_subset_config"}
)

func (c *config) document(p part) error {
	c.findServices(p.node)
	if p.node.Kind == lint.Sequence { // of listeners or clusters, as Envoy Gateway's tests have them
		c.lists = append(c.lists, p.file.Name)
		return each(p.all(), c.bare)
	}
	if list := p.at("resources"); list.there() && list.node.Kind == lint.Sequence { // a DiscoveryResponse, or filesystem xDS
		return each(list.all(), c.resource)
	}
	if sections := dumped(p.node, 0); len(sections) > 0 {
		c.dumps = append(c.dumps, p.file.Name)
		return each(sections, func(n *lint.Node) error { return c.section(part{c, p.file, n}) })
	}
	if has(p.node, bootstrapKeys) {
		c.bootstrap(p, true)
		return nil
	}
	return c.bare(p)
}

func each[E any](list []E, do func(E) error) error {
	for _, e := range list {
		if err := do(e); err != nil {
			return err
		}
	}
	return nil
}

func has(n *lint.Node, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return field(n, key) != nil })
}

// bare reads a resource that stands alone, whether it names its type or not.
func (c *config) bare(p part) error {
	switch n := p.node; {
	case n.At("@type") != nil:
		return c.resource(p)
	case has(n, listenerKeys):
		c.listeners = append(c.listeners, p)
	case has(n, clusterKeys) || field(n, "connect_timeout") != nil:
		c.clusters = append(c.clusters, p)
	case field(n, "virtual_hosts") != nil:
		c.routes = append(c.routes, p)
	default:
		return lint.Refuse(p.file.Name, n.Line, "no Envoy configuration: neither a bootstrap, nor a config_dump, "+
			"nor a listener or cluster")
	}
	return nil
}

// resource reads a message that names its own type. Others than these have no setting of connections.
func (c *config) resource(p part) error {
	if inner := p.at("resource"); inner.there() && p.at("name").there() {
		p = inner // envoy.service.discovery.v3.Resource
	}
	switch shortType(p.text("@type")) {
	case "":
		return lint.Refuse(p.file.Name, p.node.Line, "a resource without @type")
	case "envoy.config.listener.v3.Listener":
		c.listeners = append(c.listeners, p)
	case "envoy.config.cluster.v3.Cluster":
		c.clusters = append(c.clusters, p)
	case "envoy.config.route.v3.RouteConfiguration":
		c.routes = append(c.routes, p)
	case "envoy.config.bootstrap.v3.Bootstrap":
		c.bootstrap(p, true)
	}
	return nil
}

// deepestDump is how many mappings may stand around a dump: `egctl config envoy-proxy` prints it below a
// namespace and a name.
const deepestDump = 3

// adminTypes is what the types of a dump's sections begin with.
const adminTypes = "envoy.admin.v3."

// dumped returns the sections of a /config_dump, of one section alone, or of egctl's output.
func dumped(n *lint.Node, depth int) []*lint.Node {
	if configs := n.At("configs"); configs != nil && configs.Kind == lint.Sequence {
		return configs.Items
	}
	if typ := n.At("@type"); typ != nil {
		if name := shortType(typ.Text); strings.HasPrefix(name, adminTypes) && strings.HasSuffix(name, "ConfigDump") {
			return []*lint.Node{n}
		}
		return nil
	}
	var out []*lint.Node
	for _, f := range n.Fields {
		if depth < deepestDump {
			out = append(out, dumped(f.Value, depth+1)...)
		}
	}
	return out
}

// inDump maps each section type of /config_dump to its lists and to the path from a list's entry to
// the resource (envoy/admin/v3).
var inDump = map[string][][2]string{
	"ListenersConfigDump": {{"static_listeners", "listener"}, {"dynamic_listeners", "active_state/listener"}},
	"ClustersConfigDump":  {{"static_clusters", "cluster"}, {"dynamic_active_clusters", "cluster"}},
	"RoutesConfigDump":    {{"static_route_configs", "route_config"}, {"dynamic_route_configs", "route_config"}},
}

func (c *config) section(p part) error {
	name := strings.TrimPrefix(shortType(p.text("@type")), adminTypes)
	if b := p.at("bootstrap"); name == "BootstrapConfigDump" && b.there() {
		c.bootstrap(b, false) // the other sections repeat its static resources
	}
	for _, way := range inDump[name] {
		for _, entry := range p.items(way[0]) {
			r := entry.at(way[1])
			if !r.there() {
				continue // a dynamic listener that is still warming
			}
			if err := c.resource(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *config) bootstrap(p part, static bool) {
	c.bootstraps = append(c.bootstraps, p)
	if v := p.at("node/user_agent_build_version/version"); v.there() {
		c.stated = strings.Join([]string{v.text("major_number"), v.text("minor_number"), cmp.Or(v.text("patch"), "0")}, ".")
	}
	if static {
		c.listeners = append(c.listeners, p.items("static_resources/listeners")...)
		c.clusters = append(c.clusters, p.items("static_resources/clusters")...)
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
