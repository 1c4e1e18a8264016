package ingressconf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

func TestAKeyIsKnownByWhatWasMeant(t *testing.T) {
	for key, want := range map[string]string{
		"keepalive_requests":          "keep-alive-requests",
		"keepAliveRequests":           "keep-alive-requests",
		"keepalive":                   "keep-alive",
		"keepalive_timeout":           "keep-alive",
		"worker-connections":          "max-worker-connections",
		"useHttp2":                    "use-http2",
		"":                            "",
		"upstream_keepalive_requests": "upstream-keepalive-requests",
		"http2":                       "use-http2",
		"use-forward-headers":         "use-forwarded-headers",
		"compute-full-forward-for":    "compute-full-forwarded-for",
		"use-hts":                     "",
		"hsts-maxage":                 "hsts-max-age",
		"nothing-like-it":             "",
	} {
		if got := meant(key); got != want {
			t.Errorf("%q means %q, not %q", key, got, want)
		}
	}
}

const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  labels: {%s}\ndata:\n  %s\n"

func TestEachKeyIsJudgedByTheControllersList(t *testing.T) {
	for _, c := range []struct{ version, key, want string }{
		{"", "proxy-body-size: 1m", ""},
		{"", "use-forward-headers: 'true'", "ingress-nginx/unknown-key warning use-forwarded-headers: \"true\""},
		{"", "nothing-like-it: 'true'", "ingress-nginx/unknown-key warning "},
		{"", "enable-vts-status: 'true'", "ingress-nginx/unknown-key note "},
		{"0.20", "enable-vts-status: 'true'", ""},
		{"", "keep-alive: '59'", "ingress-nginx/idle-short note keep-alive: \"75\""},
		{"", "keep-alive: '9'", "ingress-nginx/idle-short warning keep-alive: \"75\""},
		{"", "keep-alive: '60'", ""},
	} {
		f := lint.File{Name: "f.yaml", Data: fmt.Appendf(nil, manifest, "ingress-nginx-controller", "", c.key)}
		r, err := Lint([]lint.File{f}, lint.Options{Version: c.version})
		labtest.Check(t, err)
		got := ""
		for _, f := range r.Findings {
			if f.Rule != "ingress-nginx/limit-low" {
				got += f.Rule + " " + string(f.Severity) + " " + f.Fix
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", c.key, got, c.want)
		}
	}
}

// The limit is added where the ConfigMap sets none.
func TestAMissingLimitIsAddedBelowAKey(t *testing.T) {
	for key, found := range map[string]string{"proxy-body-size: 1m": "proxy-body-size: 1m",
		"main-snippet: |\n    a;\n  proxy-body-size: 1m":  "proxy-body-size: 1m",
		"ssl-ciphers: a\n    b\n  server-tokens: 'false'": "server-tokens: 'false'"} {
		f := lint.File{Name: "f.yaml", Data: fmt.Appendf(nil, manifest, "ingress-nginx-controller", "", key)}
		r, err := Lint([]lint.File{f}, lint.Options{})
		want := found + "\nkeep-alive-requests: \"100000\""
		if err != nil || !slices.ContainsFunc(r.Findings, func(g lint.Finding) bool { return g.Found == found && g.Fix == want }) {
			t.Errorf("%v %+v", err, r.Findings)
		}
	}
}

func TestFilesNameTheControllersVersion(t *testing.T) {
	deployment := "\n---\nkind: Deployment\nspec: {containers: [{image: 'registry.k8s.io/ingress-nginx/controller:v1.2.0@sha256:0'}]}\n"
	for name, text := range map[string]string{
		"label":      fmt.Sprintf(manifest, "ingress-nginx-controller", "app.kubernetes.io/version: 1.2.0", "keep-alive: '75'"),
		"deployment": fmt.Sprintf(manifest, "nginx-configuration", "", "keep-alive: '75'") + deployment,
		"values":     "controller:\n  image: {tag: v1.2.0}\n  config: {keep-alive: 75}\n",
		"subchart":   "nginx-ingress:\n  controller:\n    image: {tag: v1.2.0}\n    config: {keep-alive: 75}\n",
		"flux":       "kind: HelmRelease\nspec:\n  values:\n    controller: {image: {tag: v1.2.0}, config: {keep-alive: 75}}\n",
	} {
		f := lint.File{Name: "f.yaml", Data: []byte(text)}
		r, err := Lint([]lint.File{f}, lint.Options{})
		if err != nil || !Looks(f) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Version != "1.2.0" || *r.Listeners[0].Limit.Requests != 100 {
			t.Errorf("%s: version %s, %+v", name, r.Version, r.Listeners[0].Limit)
		}
	}
}

// The version of a build from source says nothing about defaults: 1.0.0-dev is what the chart's own values
// have had since 1.0.0.
func TestABuildFromSourceIsNoRelease(t *testing.T) {
	for tag, want := range map[string]string{
		"v1.1.3": "ingress-nginx/limit-low error", "1.5.1": "ingress-nginx/limit-low error",
		"v1.0.0-beta.1": "ingress-nginx/limit-low error", "1.0.0-dev": "ingress-nginx/limit-low warning",
		"v1.2.0-SNAPSHOT": "ingress-nginx/limit-low warning", "v1.12.1": "ingress-nginx/limit-low warning",
	} {
		text := "controller:\n  image:\n    repository: registry.test/controller\n    tag: " + tag + "\n  admissionWebhooks: {enabled: false}\n"
		object := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ingress-nginx-controller\ndata: {}\n---\napiVersion: apps/v1\n" +
			"kind: Deployment\nspec:\n  image: registry.test/ingress-nginx/controller:" + tag + "\n"
		label := fmt.Sprintf(manifest, "ingress-nginx-controller", "app.kubernetes.io/version: '"+tag+"'", "use-gzip: 'true'")
		for _, text := range []string{text, object, label} {
			r, err := Lint([]lint.File{{Name: "values.yaml", Data: []byte(text)}}, lint.Options{})
			if err != nil || len(r.Findings) != 1 || r.Findings[0].Rule+" "+string(r.Findings[0].Severity) != want {
				t.Errorf("%s, want %s: %v %+v", tag, want, err, r.Findings)
			}
		}
	}
}

// Of values with keys that other charts have too, the file's name alone says whose they are: the report
// says so.
func TestValuesThatTheNameAloneGivesAway(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"nginx-ingress-values.yaml", "controller: {resources: {}}\n", true},
		{"nginx-ingress-values.yaml", "controller: {replicaCount: 2, config: {}}\n", true},
		{"nginx-ingress-values.yaml", "controller: {allowSnippetAnnotations: true}\n", false},
		{"nginx-ingress-values.yaml", "controller: {config: {keep-alive: '75'}}\n", false},
		{"ingress-nginx-values.yaml", "controller: {resources: {}}\n", false},
		{"nginx.yaml", "# chart: ingress-nginx\ncontroller: {resources: {}}\n", false},
		{"nginx.yaml", "nginx:\n  controller: {resources: {}}\n", false},
	} {
		f := lint.File{Name: c.name, Data: []byte(c.text)}
		r, err := Lint([]lint.File{f}, lint.Options{})
		if err != nil || !Looks(f) && c.want {
			t.Fatalf("%+v: %v", c, err)
		}
		if got := strings.Contains(r.Assumptions(), "no key that only"); got != c.want {
			t.Errorf("%+v: %v", c, r.Assumed)
		}
	}
}

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
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Rule != "ingress-nginx/limit-low" || r.Findings[0].Fix != c.fix {
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
		labtest.Check(t, err)
		if l := r.Listeners[0].Limit.Requests; l == nil || *l != c.limit || !strings.Contains(r.Assumptions(), c.said) {
			t.Errorf("%s %s: %v %q", c.version, c.values, l, r.Assumed)
		}
	}
}
