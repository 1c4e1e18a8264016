package ingressconf

import (
	"fmt"
	"h2lab/internal/facts"

	"h2lab/internal/base/versions"
	"h2lab/internal/field/lint"
)

// assumed is the controller version whose defaults apply when the user gives none; they have not
// changed since.
const assumed = "1.6"

// versionOf is the version that the files name, or else the one whose defaults are assumed.
func versionOf(all []settings, r *lint.Report) versions.Version {
	for _, s := range all {
		if v, known, _ := lint.ParseVersion(s.version.Version); known {
			r.Version = v.String()
			r.Assume(facts.Verbatim(fmt.Sprintf("controller %s is the version that %s:%d names", v, s.file.Name,
				s.version.Line)))
			return v
		}
	}
	for _, s := range all {
		if v, by := ofChart(s.chart); by != "" {
			r.Assume(facts.Verbatim(s.byChart(by)))
			return v
		}
	}
	v, _, _ := lint.ParseVersion(assumed)
	r.Assume(facts.Verbatim("controller " + assumed + " or newer is assumed, as of January 2023: give --version with the " +
		"controller's, older ones have a limit of 100"))
	return v
}

// charts are the oldest controllers that charts install, from a version of the chart on (kubernetes/ingress-nginx,
// README.md, "Supported Versions table"): 4.4 has 1.5.1 and 4.5 has 1.6. Charts before 4.0 have controllers before 1.0.
var charts = []struct {
	major, minor int
	controller   string
}{{4, 5, "1.6"}, {4, 0, "1.0"}, {0, 0, "0.49"}}

// ofChart is the controller of a chart, at the least; "" when the chart isn't known.
func ofChart(chart lint.Named) (versions.Version, string) {
	version, known, err := lint.ParseVersion(chart.Version)
	if !known || err != nil {
		return versions.Version{}, ""
	}
	for _, c := range charts {
		if version.AtLeast(c.major, c.minor) {
			v, _, _ := lint.ParseVersion(c.controller)
			return v, c.controller
		}
	}
	return versions.Version{}, ""
}

// byChart says which controller was assumed for the chart.
func (s settings) byChart(controller string) string {
	return fmt.Sprintf("controller %s is assumed, for chart %s at %s:%d: give --version with the controller's", controller,
		s.chart.Version, s.file.Name, s.chart.Line)
}
