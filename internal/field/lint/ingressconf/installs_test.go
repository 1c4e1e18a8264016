package ingressconf

import (
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

// An object that installs the chart without values leaves the defaults; one with values elsewhere isn't judged.
func TestAChartWithoutValuesHasTheDefaults(t *testing.T) {
	const flux, argo, k3s = "kind: HelmRelease\nspec:\n  chart: {spec: {chart: ingress-nginx, version: 4.12.0%s}}\n",
		"kind: Application\nspec:\n  sources:\n  - {ref: values}\n  - {chart: ingress-nginx%s}\n",
		"kind: HelmChart\nspec:\n  chart: ingress-nginx/ingress-nginx\n%s"
	for _, c := range []struct{ object, more, fix string }{
		{flux, "", `values: {controller: {config: {keep-alive-requests: "100000"}}}   # in spec`},
		{flux, ", valuesFiles: [a.yaml]", ""},
		{argo, "", `helm: {valuesObject: {controller: {config: {keep-alive-requests: "100000"}}}}   # beside chart`},
		{argo, ", helm: {releaseName: a}", `helm: {valuesObject: {controller: {config: {keep-alive-requests: "100000"}}}}   # beside chart`},
		{argo, ", helm: {valueFiles: [$values/a.yaml]}", ""},
		{argo, ", helm: {parameters: [{name: a, value: b}]}", ""},
		{k3s, "", `valuesContent: '{controller: {config: {keep-alive-requests: "100000"}}}'   # in spec`},
		{k3s, "  set: {a: b}\n", ""},
		{"kind: HelmRelease\nspec: {chart: {spec: {chart: traefik%s}}}\n", "", ""},
	} {
		f := lint.File{Name: "f.yaml", Data: []byte(fmt.Sprintf(c.object, c.more))}
		if got := Looks(f); got != (c.fix != "") {
			t.Errorf("%s: looks like it: %v", f.Data, got)
		}
		r, err := Lint([]lint.File{f}, lint.Options{})
		if c.fix == "" {
			if err == nil {
				t.Errorf("%s: judged", f.Data)
			}
			continue
		}
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Rule != limitLow.ID || r.Findings[0].Fix != c.fix {
			t.Errorf("%s: %v %+v", f.Data, err, r.Findings)
		}
	}
}

// The version of the chart says which default is in effect; the image's tag says it first.
func TestTheChartsVersionGivesTheController(t *testing.T) {
	const release = "kind: HelmRelease\nmetadata: {name: ingress-nginx}\nspec:\n  chart: {spec: {chart: ingress-nginx, version: %s}}\n%s"
	for _, c := range []struct {
		version, values string
		limit           int64
		said            string
	}{
		{"4.12.0", "", 1000, "controller 1.6 is assumed, for chart 4.12.0 at f.yaml:4"},
		{"4.4.2", "", 100, "controller 1.0 is assumed, for chart 4.4.2"},
		{"3.34.0", "", 100, "controller 0.49 is assumed, for chart 3.34.0"},
		{"'4.x'", "", 1000, "controller 1.6 or newer is assumed"},
		{"'*'", "", 1000, "controller 1.6 or newer is assumed"},
		{"4.4.0", "  values: {controller: {config: {use-gzip: 'true'}}}\n", 100, "for chart 4.4.0"},
		{"4.4.0", "  values: {controller: {image: {tag: v1.9.0}, config: {use-gzip: 'true'}}}\n", 1000, "controller 1.9.0 is the version"},
	} {
		r, err := Lint([]lint.File{{Name: "f.yaml", Data: fmt.Appendf(nil, release, c.version, c.values)}}, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if l := r.Listeners[0].Limit.Requests; l == nil || *l != c.limit || !strings.Contains(r.Assumptions(), c.said) {
			t.Errorf("%s %s: %v %q", c.version, c.values, l, r.Assumed)
		}
	}
}
