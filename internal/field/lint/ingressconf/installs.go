package ingressconf

import "h2lab/internal/field/lint"

// installs are the settings of an object that installs the chart without any values: the chart's defaults.
func installs(f *lint.Source, n *lint.Node) []settings {
	for _, c := range lint.Charts(n) {
		if c.Name == "ingress-nginx" && !c.Values && len(c.Elsewhere) == 0 {
			return []settings{{file: f, name: text(n.At("metadata", "name")), put: c.Put, chart: c.Version,
				node: &lint.Node{Kind: lint.Mapping, Line: n.At("spec").Line}}}
		}
	}
	return nil
}

// chartOf is the version of the chart that an object installs.
func chartOf(n *lint.Node) lint.Named {
	for _, c := range lint.Charts(n) {
		if c.Name == "ingress-nginx" {
			return c.Version
		}
	}
	return lint.Named{}
}
