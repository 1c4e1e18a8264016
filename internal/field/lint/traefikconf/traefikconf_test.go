package traefikconf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

func TestLinesOfATOMLFileAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1\n# b = 2\n[ c . \"d\" ]\n e.f = '''\nx = 1\n'''\ng = [\n 1,\n]\n[[h]]\n" +
			"i = \"[x]\"\n[[h]]\n": "a:1=1 c:3 c.d:3 c.d.e:4 c.d.e.f:4=x = 1\n c.d.g:7 c.d.g[0]=1 h:10 h[0].i:11=[x]",
		"a = [ # x = 1\n  \"b = 2\", # ]\n  5_000,\n]\nb = 0x10\n": "a:1 a[0]=b = 2 a[1]=5000 b:5=16",
		"[a.b.c]\nx = true\n[a]\ny = 2\n[a.b]\nz = 1.5\n": "a:1 a.b:1 a.b.c:1 a.b.c.x:2=true a.b.z:6=1.5 " +
			"a.y:4=2",
		"[[a]]\n[a.b]\nx = 1\n[[a]]\n[a.b]\nx = 2\n": "a:1 a[0].b:2 a[0].b.x:3=1 a[1].b:2 a[1].b.x:3=2",
		"a = {b = 1, c = {d = \"}\"}}\n\"e.f\" = 2\r\ng.h = 1\ng.i = 2\n": "a:1 a.b:1=1 a.c:1 a.c.d:1=} e.f:2=2 g:3 " +
			"g.h:3=1 g.i:4=2",
	} {
		n, err := readTOML(lint.File{Name: "f.toml", Data: []byte(text)})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, strings.TrimSpace(drawn(n, ""))); diff != "" {
			t.Errorf("%q: -want +got:\n%s", text, diff)
		}
	}
}

// drawn writes a tree as PATH:LINE=VALUE of each key.
func drawn(n *lint.Node, path string) string {
	var out strings.Builder
	for _, f := range n.Fields {
		at := strings.TrimPrefix(path+"."+f.Key, ".")
		fmt.Fprintf(&out, " %s:%d%s", at, f.Line, drawn(f.Value, at))
	}
	for i, item := range n.Items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if item.Kind == lint.Scalar {
			out.WriteString(" " + at)
		}
		out.WriteString(drawn(item, at))
	}
	if n.Kind == lint.Scalar {
		return "=" + n.Text
	}
	return out.String()
}

func TestArgumentsBecomeTheTreeOfAFile(t *testing.T) {
	n, _ := readArgs(lint.File{Data: []byte("--EntryPoints.web.address=:80\n" +
		"'--entrypoints.WEB.transport.keepAliveMaxRequests=5'\n--entrypoints.web.http3\n" +
		"--entrypoints.web.http3.advertisedPort=1\n--a=b=c\n")})
	if n == nil {
		t.Fatal("not taken for arguments")
	}
	for path, want := range map[string]string{
		"entrypoints.web.address":                        ":80",
		"entrypoints.web.transport.keepalivemaxrequests": "5",
		"entrypoints.web.http3":                          "true",
		"entrypoints.web.http3.advertisedport":           "1",
		"a":                                              "b=c",
	} {
		f := way(n, strings.Split(path, ".")...)
		if f == nil || f.Value.Text != want {
			t.Errorf("%s is %+v, not %q", path, f, want)
		}
	}
	if f := way(n, "entryPoints", "web", "transport", "keepAliveMaxRequests"); f.Line != 2 {
		t.Errorf("line %d, not 2", f.Line)
	}
	for _, text := range []string{"", "a: 1", "--", "-x=1", "--a=1\nb: 2", "--" + strings.Repeat("a.", 30) + "b=1"} {
		if n, _ := readArgs(lint.File{Data: []byte(text)}); n != nil {
			t.Errorf("%.20q was taken for arguments", text)
		}
	}
}

func TestDeepAndInvalidTOMLIsRefused(t *testing.T) {
	for _, text := range []string{"a = []\n[a.b]\n", "a = 1\na = 2\n", "a = 1\n[a]\n", "a = 01\n",
		"a = {b = 1}\na.b = 2\n", "a = " + strings.Repeat("[", 100_000),
		"[" + strings.Repeat("a.", 300) + "b]\nc = 1\n", strings.Repeat("a.", 1_000_000) + "b = 1\n",
		"a = " + strings.Repeat("{a=", 900) + "1" + strings.Repeat("}", 900)} {
		if _, err := readTOML(lint.File{Name: "f.toml", Data: []byte(text)}); err == nil {
			t.Errorf("%.20q was read", text)
		}
	}
}

// An option may come from the environment too: in a file of variables, a Compose file, a Deployment, Helm values.
func TestOptionsInTheEnvironment(t *testing.T) {
	const option = "TRAEFIK_ENTRYPOINTS_WEB_TRANSPORT_KEEPALIVEMAXREQUESTS"
	for text, fix := range map[string]string{
		"# web\nTRAEFIK_ENTRYPOINTS_WEB_ADDRESS=:443\n" + option + "=500\n": option + "=0",
		"services:\n  t:\n    image: traefik:v3.1\n    environment:\n      TRAEFIK_ENTRYPOINTS_WEB_ADDRESS: ':443'\n" +
			"      TRAEFIK_LOG_LEVEL: INFO\n      " + option + ": '500'\n": option + ": '0'",
		"services:\n  t:\n    image: traefik:v3.1\n    environment:\n      - TRAEFIK_ENTRYPOINTS_WEB_ADDRESS=:443\n" +
			"      - TRAEFIK_MY_OWN=1\n      - " + option + "=500 # x\n": "- " + option + "=0 # x",
		"kind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - image: traefik:v3.1\n        env:\n" +
			"        - {name: TRAEFIK_ENTRYPOINTS_WEB_ADDRESS, value: ':443'}\n        - name: " + option +
			"\n          value: \"500\"\n": `value: "0"`,
		"ports:\n  web: {port: 443}\nenv:\n- name: " + option + "\n  value: \"500\"\n": `value: "0"`,
	} {
		f := lint.File{Name: "t.yml", Data: []byte(text)}
		r, err := Lint([]lint.File{f}, lint.Options{})
		if err != nil || !Looks(f) || len(r.Findings) != 1 || r.Findings[0].Rule != "traefik/limit" || r.Findings[0].Fix != fix {
			t.Errorf("%s: %v %v %+v", text, err, Looks(f), r.Findings)
		}
	}
	for _, text := range []string{"TRAEFIK_LOG_LEVEL=INFO\n", "services:\n  t:\n    environment: {TRAEFIK_MY_OWN: '1'}\n"} {
		if Looks(lint.File{Name: "t.yml", Data: []byte(text)}) {
			t.Errorf("%s is Traefik's", text)
		}
	}
}

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
		labtest.Check(t, err)
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
		labtest.Check(t, err)
		if got := len(r.Findings) == 1 && r.Findings[0].Rule == "traefik/refused"; got != want {
			t.Errorf("%s: %+v", option, r.Findings)
		}
	}
}
