package envoyconf

import (
	"fmt"
	"h2lab/internal/facts"
	"slices"
	"strings"

	bootstrapv3 "github.com/envoyproxy/go-control-plane/envoy/config/bootstrap/v3"
	clusterv3 "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	listenerv3 "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	routev3 "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"

	"h2lab/internal/base/versions"
	"h2lab/internal/field/lint"
)

// resource is a message with the place it was read from.
type resource[M any] struct {
	file *lint.Source
	node *lint.Node
	msg  M
}

// config is the content of all files together.
type config struct {
	bootstraps []resource[*bootstrapv3.Bootstrap]
	listeners  []resource[*listenerv3.Listener]
	clusters   []resource[*clusterv3.Cluster]
	routes     []*routev3.RouteConfiguration
	unread     map[string]int
	unknown    []string // where dumps have fields that these messages haven't: FILE:LINE PATH
	inDump     bool     // the file that is read is a /config_dump
	files      []*lint.Source
	lists      []string        // the names of the files that are a list of resources
	dumps      []string        // the names of the files that are a /config_dump
	services   map[string]bool // the clusters that Envoy itself asks: xDS, rate limits, tracers …
	repeated   []facts.Text    // sentences about keys that are set twice
	version    versions.Version
	versioned  bool // whether the files state the version
}

func (c *config) read(f *lint.Source) error {
	c.files = append(c.files, f)
	docs, err := lint.ReadYAML(f.File)
	if err != nil {
		return err
	}
	c.repeated = append(c.repeated, lint.TakesTheLast(f.Name, "Envoy", docs)...)
	for _, doc := range docs {
		if err := c.document(f, doc); err != nil {
			return err
		}
	}
	return nil
}

// bootstrapKeys are the keys that only a bootstrap has, and no bare resource.
var bootstrapKeys = []string{"static_resources", "dynamic_resources", "admin", "overload_manager", "layered_runtime"}

func (c *config) document(f *lint.Source, n *lint.Node) error {
	c.findServices(n)
	if n.Kind == lint.Sequence && len(n.Items) > 0 { // of listeners or clusters, as Envoy Gateway's tests have them
		c.lists = append(c.lists, f.Name)
		for i, item := range n.Items {
			if err := c.bare(f, item, fmt.Sprintf("[%d]", i)); err != nil {
				return err
			}
		}
		return nil
	}
	if resources := n.At("resources"); resources != nil && resources.Kind == lint.Sequence {
		return c.all(f, resources, "resources")
	}
	if sections := dumped(n, 0); len(sections) > 0 {
		return c.dump(f, sections)
	}
	for _, key := range bootstrapKeys {
		if field(n, key) != nil {
			return c.bootstrap(f, n, "", true)
		}
	}
	return c.bare(f, n, "")
}

// listenerKeys and clusterKeys are keys that a listener or a cluster has, and no other resource.
var (
	listenerKeys = []string{"filter_chains", "default_filter_chain", "api_listener", "listener_filters"}
	clusterKeys  = []string{"load_assignment", "eds_cluster_config", "typed_extension_protocol_options", "lb_subset_config"}
)

func has(n *lint.Node, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return field(n, key) != nil })
}

// bare reads a resource that stands alone, whether it names its type or not.
func (c *config) bare(f *lint.Source, n *lint.Node, path string) error {
	switch {
	case n.At("@type") != nil:
		return c.resource(f, n, path)
	case has(n, listenerKeys):
		return c.listener(f, n, path)
	case has(n, clusterKeys) || field(n, "connect_timeout") != nil:
		return c.cluster(f, n, path)
	case field(n, "virtual_hosts") != nil:
		return c.route(f, n, path)
	}
	if err := olderAPI(f, n); err != nil {
		return err
	}
	return &lint.SyntaxError{
		File: f.Name,
		Line: n.Line,
		What: "no Envoy configuration: neither a bootstrap, nor a config_dump, nor a listener or cluster",
	}
}

// deepestDump is how many mappings may stand around a dump: `egctl config envoy-proxy` prints it below a
// namespace and a name.
const deepestDump = 3

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

// all reads the resources of a list, as in a DiscoveryResponse or in a file of filesystem xDS.
func (c *config) all(f *lint.Source, list *lint.Node, path string) error {
	for i, n := range list.Items {
		if err := c.resource(f, n, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// resource reads a message that names its own type.
func (c *config) resource(f *lint.Source, n *lint.Node, path string) error {
	if inner := n.At("resource"); inner != nil && inner.Kind == lint.Mapping && n.At("name") != nil {
		n, path = inner, join(path, "resource") // envoy.service.discovery.v3.Resource
	}
	typ := n.At("@type")
	if typ == nil {
		return &lint.SyntaxError{
			File: f.Name,
			Line: n.Line,
			What: strings.TrimPrefix(path+": a resource without @type", ": "),
		}
	}
	switch name := shortType(typ.Text); name {
	case "envoy.config.listener.v3.Listener":
		return c.listener(f, n, path)
	case "envoy.config.cluster.v3.Cluster":
		return c.cluster(f, n, path)
	case "envoy.config.route.v3.RouteConfiguration":
		return c.route(f, n, path)
	case "envoy.config.bootstrap.v3.Bootstrap":
		return c.bootstrap(f, n, path, true)
	default:
		c.unread[name]++
		return nil
	}
}

// inDump maps each section type of /config_dump to its lists and to the path from a list's entry to
// the resource (envoy/admin/v3).
var inDump = map[string][][]string{
	"ListenersConfigDump": {{"static_listeners", "listener"}, {"dynamic_listeners", "active_state", "listener"}},
	"ClustersConfigDump":  {{"static_clusters", "cluster"}, {"dynamic_active_clusters", "cluster"}},
	"RoutesConfigDump":    {{"static_route_configs", "route_config"}, {"dynamic_route_configs", "route_config"}},
}

// adminTypes is what the types of a dump's sections begin with.
const adminTypes = "envoy.admin.v3."

func (c *config) dump(f *lint.Source, sections []*lint.Node) error {
	c.dumps, c.inDump = append(c.dumps, f.Name), true
	defer func() { c.inDump = false }()
	for i, section := range sections {
		path := fmt.Sprintf("configs[%d]", i)
		name := ""
		if typ := section.At("@type"); typ != nil {
			name = strings.TrimPrefix(shortType(typ.Text), adminTypes)
		}
		if name == "BootstrapConfigDump" {
			// The other sections repeat the bootstrap's static resources.
			if n, there := under(section, "bootstrap"); there {
				if err := c.bootstrap(f, n, path+".bootstrap", false); err != nil {
					return err
				}
			}
		}
		for _, way := range inDump[name] {
			for j, entry := range items(section, way[0]) {
				n, there := under(entry, way[1:]...)
				if !there {
					continue // a dynamic listener that is still warming
				}
				if err := c.resource(f, n, fmt.Sprintf("%s.%s[%d].%s", path, way[0], j,
					strings.Join(way[1:], "."))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *config) bootstrap(f *lint.Source, n *lint.Node, path string, static bool) error {
	b := new(bootstrapv3.Bootstrap)
	if err := c.decode(f, n, path, b); err != nil {
		return err
	}
	c.bootstraps = append(c.bootstraps, resource[*bootstrapv3.Bootstrap]{f, n, b})
	if v := b.GetNode().GetUserAgentBuildVersion().GetVersion(); v != nil {
		c.version, c.versioned = versions.New(int(v.GetMajorNumber()), int(v.GetMinorNumber()), int(v.GetPatch())), true
	}
	if !static {
		return nil
	}
	listeners := items(n, "static_resources", "listeners")
	for i, l := range b.GetStaticResources().GetListeners() {
		c.listeners = append(c.listeners, resource[*listenerv3.Listener]{f, listeners[i], l})
	}
	clusters := items(n, "static_resources", "clusters")
	for i, cl := range b.GetStaticResources().GetClusters() {
		c.clusters = append(c.clusters, resource[*clusterv3.Cluster]{f, clusters[i], cl})
	}
	return nil
}

func (c *config) listener(f *lint.Source, n *lint.Node, path string) error {
	l := new(listenerv3.Listener)
	if err := c.decode(f, n, path, l); err != nil {
		return err
	}
	c.listeners = append(c.listeners, resource[*listenerv3.Listener]{f, n, l})
	return nil
}

func (c *config) cluster(f *lint.Source, n *lint.Node, path string) error {
	cl := new(clusterv3.Cluster)
	if err := c.decode(f, n, path, cl); err != nil {
		return err
	}
	c.clusters = append(c.clusters, resource[*clusterv3.Cluster]{f, n, cl})
	return nil
}

func (c *config) route(f *lint.Source, n *lint.Node, path string) error {
	r := new(routev3.RouteConfiguration)
	if err := c.decode(f, n, path, r); err != nil {
		return err
	}
	c.routes = append(c.routes, r)
	return nil
}
