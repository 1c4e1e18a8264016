package envoyconf

import (
	"fmt"
	"maps"
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
	dumps      []string // the names of the files that are a /config_dump
	version    versions.Version
	versioned  bool // whether the files state the version
}

func (c *config) read(f *lint.Source) error {
	docs, err := lint.ReadYAML(f.File)
	if err != nil {
		return err
	}
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
	if n.Kind != lint.Mapping {
		return &lint.SyntaxError{File: f.Name, Line: n.Line, What: "no Envoy configuration: a mapping was expected"}
	}
	if configs := n.At("configs"); configs != nil && configs.Kind == lint.Sequence {
		return c.dump(f, configs)
	}
	if resources := n.At("resources"); resources != nil && resources.Kind == lint.Sequence {
		return c.all(f, resources, "resources")
	}
	if n.At("@type") != nil {
		return c.resource(f, n, "")
	}
	for _, key := range bootstrapKeys {
		if field(n, key) != nil {
			return c.bootstrap(f, n, "", true)
		}
	}
	switch {
	case field(n, "filter_chains") != nil || field(n, "default_filter_chain") != nil:
		return c.listener(f, n, "")
	case field(n, "load_assignment") != nil || field(n, "connect_timeout") != nil ||
		field(n, "typed_extension_protocol_options") != nil:
		return c.cluster(f, n, "")
	case field(n, "virtual_hosts") != nil:
		return c.route(f, n, "")
	}
	return &lint.SyntaxError{
		File: f.Name,
		Line: n.Line,
		What: "no Envoy configuration: neither a bootstrap, nor a config_dump, nor a listener or cluster",
	}
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

func (c *config) dump(f *lint.Source, configs *lint.Node) error {
	c.dumps = append(c.dumps, f.Name)
	for i, section := range configs.Items {
		path := fmt.Sprintf("configs[%d]", i)
		name := ""
		if typ := section.At("@type"); typ != nil {
			name = strings.TrimPrefix(shortType(typ.Text), "envoy.admin.v3.")
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
			list, _ := under(section, way[0])
			for j, entry := range list.Items {
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
	if err := decode(f, n, path, b, c.unread); err != nil {
		return err
	}
	c.bootstraps = append(c.bootstraps, resource[*bootstrapv3.Bootstrap]{f, n, b})
	if v := b.GetNode().GetUserAgentBuildVersion().GetVersion(); v != nil {
		c.version, c.versioned = versions.New(int(v.GetMajorNumber()), int(v.GetMinorNumber()), int(v.GetPatch())), true
	}
	if !static {
		return nil
	}
	listeners, _ := under(n, "static_resources", "listeners")
	for i, l := range b.GetStaticResources().GetListeners() {
		c.listeners = append(c.listeners, resource[*listenerv3.Listener]{f, listeners.Items[i], l})
	}
	clusters, _ := under(n, "static_resources", "clusters")
	for i, cl := range b.GetStaticResources().GetClusters() {
		c.clusters = append(c.clusters, resource[*clusterv3.Cluster]{f, clusters.Items[i], cl})
	}
	return nil
}

func (c *config) listener(f *lint.Source, n *lint.Node, path string) error {
	l := new(listenerv3.Listener)
	if err := decode(f, n, path, l, c.unread); err != nil {
		return err
	}
	c.listeners = append(c.listeners, resource[*listenerv3.Listener]{f, n, l})
	return nil
}

func (c *config) cluster(f *lint.Source, n *lint.Node, path string) error {
	cl := new(clusterv3.Cluster)
	if err := decode(f, n, path, cl, c.unread); err != nil {
		return err
	}
	c.clusters = append(c.clusters, resource[*clusterv3.Cluster]{f, n, cl})
	return nil
}

func (c *config) route(f *lint.Source, n *lint.Node, path string) error {
	r := new(routev3.RouteConfiguration)
	if err := decode(f, n, path, r, c.unread); err != nil {
		return err
	}
	c.routes = append(c.routes, r)
	return nil
}

// notRead is a sentence about the extensions that were left out, "" when there are none.
func (c *config) notRead() string {
	if len(c.unread) == 0 {
		return ""
	}
	return "not read, since h2lab doesn't know their types: " + strings.Join(slices.Sorted(maps.Keys(c.unread)), ", ")
}
