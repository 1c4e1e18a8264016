package traefikconf

import (
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

// values of the chart; the limit is in line 5.
const values = `ports:
  web:
    port: 8000
    transport:
      keepAliveMaxRequests: 50
      keepAliveMaxTime:
  websecure:
    port: 8443
additionalArguments:
  - "--entrypoints.websecure.transport.respondingTimeouts.idleTimeout=5s"
image:
  tag: v3.1
`

func indented(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+by) + "\n"
}

// The chart's values are read wherever they stand, and a change names the line of the file.
func TestValuesOfTheChartAreRead(t *testing.T) {
	for name, text := range map[string]string{
		"values.yaml":      values,
		"umbrella.yaml":    "traefik:\n" + indented(values, "  "),
		"k3s.yaml":         "apiVersion: helm.cattle.io/v1\nkind: HelmChartConfig\nspec:\n  valuesContent: |-\n" + indented(values, "    "),
		"empty-lines.yaml": "kind: HelmChart\nspec:\n  valuesContent: |\n\n\n" + indented(values, "    "),
		"flux.yaml":        "kind: HelmRelease\nspec:\n  values:\n" + indented(values, "    "),
		"argo.yaml":        "kind: Application\nspec:\n  source:\n    helm:\n      valuesObject:\n" + indented(values, "        "),
		"argo-text.yaml":   "kind: Application\nspec:\n  sources:\n  - helm:\n      values: |\n" + indented(values, "        "),
	} {
		f := lint.File{Name: name, Data: []byte(text)}
		if !Looks(f) {
			t.Errorf("%s isn't recognised", name)
		}
		r, err := Lint([]lint.File{f}, lint.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(r.Listeners) != 2 || !r.Listeners[1].TLS || r.Listeners[1].Address != ":8443" || r.Version != "3.1.0" {
			t.Errorf("%s: version %s, %+v", name, r.Version, r.Listeners)
		}
		want := map[string]string{"traefik/limit": "keepAliveMaxRequests: 0",
			"traefik/idle-short": `- --entryPoints.websecure.transport.respondingTimeouts.idleTimeout=180s`}
		for _, found := range r.Findings {
			if want[found.Rule] != found.Fix {
				t.Errorf("%s: %s: %q", name, found.Rule, found.Fix)
			}
			if line := strings.Split(text, "\n")[found.Line-1]; strings.TrimSpace(line) != found.Found {
				t.Errorf("%s:%d is %q, not %q", name, found.Line, line, found.Found)
			}
			delete(want, found.Rule)
		}
		if len(want) > 0 {
			t.Errorf("%s: nothing found of %v", name, want)
		}
	}
}

// Values that leave the entry points alone are the chart's by the file's name.
func TestValuesWithoutEntryPointsAreKnownByTheFilesName(t *testing.T) {
	const text = "ingressClass: {isDefaultClass: false}\nlogs: {access: {enabled: true}}\naffinity: {a: '{{ template \"traefik.name\" . }}'}\n"
	for name, want := range map[string]bool{"values/traefik.yaml": true, "traefik/values.yaml": true, "Traefik/v.yaml": true,
		"values/shop.yaml": false, "traefik/a/values.yaml": false} {
		f := lint.File{Name: name, Data: []byte(text)}
		if got := Looks(f); got != want {
			t.Errorf("%s: %v", name, got)
		}
		if r, err := Lint([]lint.File{f}, lint.Options{}); want && (err != nil || len(r.Findings) > 0 ||
			!strings.Contains(r.Assumptions(), "keep the chart's defaults")) {
			t.Errorf("%s: %v %+v", name, err, r)
		}
	}
	if !Looks(lint.File{Name: "v.yaml", Data: []byte("ports: {websecure: {exposedPort: 443}}\n")}) {
		t.Error("ports of the chart aren't recognised")
	}
	if Looks(lint.File{Name: "traefik.yaml", Data: []byte("a: {b: c}\n")}) {
		t.Error("any file of that name is taken for the chart's values")
	}
}

func TestTraefikOneIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"defaultEntryPoints = ['http']\n[entryPoints.http]\naddress = ':80'\n": "f.toml:1: defaultEntryPoints belongs to Traefik 1",
		"[entryPoints.web]\naddress = ':80'\n[entryPoints.web.redirect]\n":     "f.toml:3: web.redirect belongs to Traefik 1",
	} {
		_, err := Lint([]lint.File{{Name: "f.toml", Data: []byte(text)}}, lint.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAnImageNamesItsVersion(t *testing.T) {
	const compose = "services:\n  proxy:\n    image: %s\n    command: [--entrypoints.web.address=:80, " +
		"--entrypoints.web.transport.keepAliveMaxTime=1h]\n"
	for image, want := range map[string]string{"traefik:v2.10": "2.10.0 traefik/refused traefik/age",
		"docker.io/library/traefik:3.1.2@sha256:0": "3.1.2 traefik/age", "traefik": " traefik/age"} {
		r, err := Lint([]lint.File{{Name: "compose.yml", Data: fmt.Appendf(nil, compose, image)}}, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Version
		for _, f := range r.Findings {
			got += " " + f.Rule
		}
		if got != want && got != "2.10.0 traefik/age traefik/refused" {
			t.Errorf("%s: %q, not %q", image, got, want)
		}
	}
}

func TestUnknownOptionsAreRefused(t *testing.T) {
	for option, want := range map[string]bool{"asDefault: true": false, "ADDRESS: ':1'": false, "http2: {maxConcurrentStream: 1}": true,
		"transports: {}": true, "http: {anything: 1}": false} {
		r, err := Lint([]lint.File{{Name: "t.yml", Data: []byte("entryPoints:\n  web:\n    " + option + "\n")}}, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.Findings) == 1 && r.Findings[0].Rule == refused.ID; got != want {
			t.Errorf("%s: %+v", option, r.Findings)
		}
	}
}

func TestFixesTogetherLeaveNothingToFix(t *testing.T) { kind.Fixes(t, 5) }
