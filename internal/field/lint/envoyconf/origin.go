package envoyconf

import (
	"bytes"
	"fmt"
	"h2lab/internal/facts"
	"maps"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/base/textwrap"
	"h2lab/internal/field/lint"
)

// controlPlanes are the programs that write Envoy's configuration: what their output contains, and where
// the settings of connections stand in their own objects (the reference of each one's API).
var controlPlanes = []struct {
	name, edit string
	signs      []string
}{
	{"Istio", "a DestinationRule (connectionPool) for clusters, an EnvoyFilter for listeners",
		[]string{"istiod", "ISTIO_VERSION", "istio-ca", "xds-grpc"}},
	{"Envoy Gateway", "a ClientTrafficPolicy (connection, http2, timeout) for listeners, a BackendTrafficPolicy " +
		"(circuitBreaker, connection, timeout) for clusters",
		[]string{"envoy-gateway", "gateway.envoyproxy.io"}},
	{"Contour", "listener and timeouts of contour.yaml or of the ContourConfiguration; clusters there and in HTTPProxy",
		[]string{"projectcontour", "ingress_https/"}},
	{"Consul", "a proxy-defaults or service-defaults config entry", []string{"consul-dataplane", "local_agent"}},
	{"Kuma", "a MeshHTTPRoute, MeshTimeout or MeshProxyPatch", []string{"kuma.io/"}},
}

// origin says where to make the change in a file that a control plane wrote.
func (c *config) origin() []string {
	var out []string
	for _, f := range c.files {
		dump := slices.Contains(c.dumps, f.Name)
		made := ""
		for _, p := range controlPlanes {
			if slices.ContainsFunc(p.signs, func(sign string) bool { return bytes.Contains(f.Data, []byte(sign)) }) {
				made = p.name + " makes it: change " + p.edit
				break
			}
		}
		switch {
		case dump && made != "":
			out = append(out, f.Name+" is what Envoy has in memory, and "+made)
		case dump:
			out = append(out, f.Name+" is what Envoy has in memory: the lines say where a setting is; change the file or the "+
				"control plane that it comes from")
		case made != "" && len(c.bootstraps) == 0:
			out = append(out, f.Name+": "+made)
		case slices.Contains(c.lists, f.Name):
			out = append(out, f.Name+" is a list of resources, as a control plane makes it: change what the control plane "+
				"reads (Envoy Gateway: ClientTrafficPolicy and BackendTrafficPolicy)")
		}
	}
	return out
}

// ofConnections are what the types of extensions begin with that can end connections or choose their
// protocol. Others, such as access loggers and HTTP filters, are left out without a message.
var ofConnections = []string{
	"envoy.extensions.filters.network.", "envoy.extensions.filters.listener.", "envoy.extensions.transport_sockets.",
	"envoy.extensions.upstreams.", "envoy.extensions.clusters.", "envoy.config.",
}

// notRead is a sentence about the extensions that were left out, "" when there are none that matter.
func (c *config) notRead() string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.unread)), func(name string) bool {
		return !slices.ContainsFunc(ofConnections, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
	if len(names) == 0 {
		return ""
	}
	return "not read, because this program doesn't have their types: " + strings.Join(names, ", ")
}

// mostLines bounds the lines that one finding lists.
const mostLines = 12

// gathered makes one finding of those of a rule and a severity in a file that a control plane wrote: one
// change there changes all of them.
func (c *config) gathered(all []lint.Finding) []lint.Finding {
	type group struct {
		file, rule string
		severity   lint.Severity
	}
	first := map[group]int{}
	lines := map[group][]string{}
	var out []lint.Finding
	for _, f := range all {
		g := group{f.File, f.Rule, f.Severity}
		_, there := first[g]
		switch {
		case !slices.Contains(c.dumps, f.File) && !slices.Contains(c.lists, f.File), !there:
			first[g] = len(out)
			out = append(out, f)
		default:
			lines[g] = append(lines[g], strconv.Itoa(f.Line))
		}
	}
	for g, more := range lines {
		f := &out[first[g]]
		listed := strings.Join(more[:min(len(more), mostLines)], ", ")
		if len(more) > mostLines {
			listed += fmt.Sprintf(" and %d more", len(more)-mostLines)
		}
		f.Add(facts.Verbatim(fmt.Sprintf("The same holds at %s %s.",
			map[bool]string{true: "line", false: "lines"}[len(more) == 1], listed)))
	}
	return out
}

// untyped names the first HTTP filter without typed_config: Envoy no longer finds an extension by its name
// (envoy --mode validate of 1.40: "Didn't find a registered implementation").
func (j *judge) untyped(c *chain) {
	list := items(c.manager, "http_filters")
	for i, f := range c.hcm.GetHttpFilters() {
		if f.GetTypedConfig() == nil && f.GetConfigDiscovery() == nil && !f.GetIsOptional() && i < len(list) && !j.untypedSaid {
			j.untypedSaid = true
			j.report.Assume(facts.Verbatim(fmt.Sprintf("the HTTP filter %s at %s:%d has no typed_config: Envoy %s "+
				"refuses the file, older ones took it", textwrap.Clip(f.GetName(), lint.LongestWord), c.file.Name, list[i].Line, builtFor)))
		}
	}
}
