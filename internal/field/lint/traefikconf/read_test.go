package traefikconf

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/field/lint"
)

func TestLinesOfATOMLFileAreFound(t *testing.T) {
	got := tomlLines("a = 1\n# b = 2\n[ c . \"d\" ]\n e.f = '''\nx = 1\n'''\ng = [\n 1,\n]\n[[h]]\ni = \"[x]\"\n[[h]]\n")
	want := map[string]int{"a": 1, "c.d": 3, "c": 3, "c.d.e.f": 4, "c.d.e": 4, "c.d.g": 7, "h": 10, "h.i": 11}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestArgumentsBecomeTheTreeOfAFile(t *testing.T) {
	n := readArgs(lint.File{Data: []byte("--EntryPoints.web.address=:80\n'--entrypoints.WEB.transport.keepAliveMaxRequests=5'\n--entrypoints.web.http3\n--entrypoints.web.http3.advertisedPort=1\n--a=b=c\n")})
	if n == nil {
		t.Fatal("not taken for arguments")
	}
	for path, want := range map[string]string{"entrypoints.web.address": ":80", "entrypoints.web.transport.keepalivemaxrequests": "5",
		"entrypoints.web.http3": "true", "entrypoints.web.http3.advertisedport": "1", "a": "b=c"} {
		f := way(n, strings.Split(path, ".")...)
		if f == nil || f.Value.Text != want {
			t.Errorf("%s is %+v, not %q", path, f, want)
		}
	}
	if f := way(n, "entryPoints", "web", "transport", "keepAliveMaxRequests"); f.Line != 2 {
		t.Errorf("line %d, not 2", f.Line)
	}
	for _, text := range []string{"", "a: 1", "--", "-x=1", "--a=1\nb: 2", "--" + strings.Repeat("a.", 30) + "b=1"} {
		if readArgs(lint.File{Data: []byte(text)}) != nil {
			t.Errorf("%.20q was taken for arguments", text)
		}
	}
}

func TestAFileOfTraefiksIsTold(t *testing.T) {
	for name, text := range map[string]string{"x.yml": "entryPoints:\n  web: {address: ':80'}\n", "-": "[entryPoints.web]\naddress = ':80'\n", "args": "--entrypoints.web.address=:80", "traefik.yml": "entryPoints: ["} {
		if !Looks(lint.File{Name: name, Data: []byte(text)}) {
			t.Errorf("%s isn't told: %q", name, text)
		}
	}
	for name, text := range map[string]string{"nginx.conf": "server { listen 80; }", "e.yaml": "static_resources: {}\n", "": "", "cm.yaml": "kind: ConfigMap\ndata: {x: entrypoints}\n", "broken.yml": "entryPoints: ["} {
		if Looks(lint.File{Name: name, Data: []byte(text)}) {
			t.Errorf("%s was taken for Traefik's: %q", name, text)
		}
	}
}

func TestDeepTOMLIsRefused(t *testing.T) {
	for _, text := range []string{"a = " + strings.Repeat("[", 100_000), "[" + strings.Repeat("a.", 300) + "b]\nc = 1\n", "a = " + strings.Repeat("{a=", 900) + "1" + strings.Repeat("}", 900)} {
		if _, err := readTOML(lint.File{Name: "f.toml", Data: []byte(text)}); err == nil {
			t.Errorf("%.20q was read", text)
		}
	}
}

func FuzzLint(f *testing.F) {
	for _, file := range corpus(f) {
		f.Add(file.Name, string(file.Data))
	}
	f.Add("a.toml", "[entryPoints]\nweb={transport={keepAliveMaxRequests=1}}\n[[a]]\n[entryPoints.\"\"]")
	f.Fuzz(func(t *testing.T, name, text string) {
		file := lint.File{Name: name, Data: []byte(text)}
		if strings.ContainsAny(name, "\n\r") {
			return
		}
		Looks(file)
		r, err := Lint([]lint.File{file}, lint.Options{})
		said(t, r, err)
		for _, found := range r.Findings {
			if found.Line < 1 || found.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("line %d: %s", found.Line, found.Why)
			}
		}
	})
}
