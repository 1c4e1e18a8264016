package envoyconf

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// controlPlane is a program that writes Envoy's configuration.
type controlPlane struct {
	name  string
	edit  facts.Text
	signs []string
}

// controlPlanes are the programs that write Envoy's configuration: what their output contains, and where
// the settings of connections stand in their own objects (the reference of each one's API).
var controlPlanes = []controlPlane{
	{"Istio", facts.T("lintenvoy.istio"),
		[]string{"istiod", "ISTIO_VERSION", "istio-ca", "xds-grpc"}},
	{"Envoy Gateway", facts.T("lintenvoy.envoy-gateway"), []string{"envoy-gateway", "gateway.envoyproxy.io"}},
	{"Contour", facts.T("lintenvoy.contour"), []string{"projectcontour", "ingress_https/"}},
	{"Consul", facts.T("lintenvoy.consul"), []string{"consul-dataplane", "local_agent"}},
	{"Kuma", facts.T("lintenvoy.kuma"), []string{"kuma.io/"}},
}

// origin says where to make the change in a file that a control plane wrote.
func (c *config) origin() []facts.Text {
	var out []facts.Text
	for _, f := range c.files {
		dump := slices.Contains(c.dumps, f.Name)
		at := slices.IndexFunc(controlPlanes, func(p controlPlane) bool {
			return slices.ContainsFunc(p.signs, func(sign string) bool { return bytes.Contains(f.Data, []byte(sign)) })
		})
		switch {
		case dump && at >= 0:
			out = append(out, facts.T("lintenvoy.dump-of", f.Name,
				controlPlanes[at].name, controlPlanes[at].edit))
		case dump:
			out = append(out, facts.T("lintenvoy.dump", f.Name))
		case at >= 0 && len(c.bootstraps) == 0:
			out = append(out, facts.T("lintenvoy.made-by", f.Name, controlPlanes[at].name, controlPlanes[at].edit))
		case slices.Contains(c.lists, f.Name):
			out = append(out, facts.T("lintenvoy.list", f.Name))
		}
	}
	return out
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
		listed := strings.Join(more[:min(len(more), mostLines)], ", ")
		same := facts.T("lintenvoy.same-lines", listed)
		switch {
		case len(more) == 1:
			same = facts.T("lintenvoy.same-line", listed)
		case len(more) > mostLines:
			same = facts.T("lintenvoy.same-more", listed, len(more)-mostLines)
		}
		out[first[g]].Add(same)
	}
	return out
}
