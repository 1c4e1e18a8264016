package ingressconf

import (
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

func TestAKeyIsKnownByWhatWasMeant(t *testing.T) {
	for key, want := range map[string]string{
		"keep-alive-requests":         "",
		"keepalive_requests":          "keep-alive-requests",
		"keepAliveRequests":           "keep-alive-requests",
		"keepalive":                   "keep-alive",
		"keepalive_timeout":           "keep-alive",
		"worker-connections":          "max-worker-connections",
		"useHttp2":                    "use-http2",
		"ssl-protocols":               "",
		"":                            "",
		"upstream_keepalive_requests": "upstream-keepalive-requests",
		"http2":                       "use-http2",
	} {
		if got := meant(key); got != want {
			t.Errorf("%q means %q, not %q", key, got, want)
		}
	}
}

// Each fix must produce a file that lint can read and that no longer has the finding.
func TestEveryFixMends(t *testing.T) {
	fixes := 0
	for _, f := range corpus(t) {
		r, err := Lint([]lint.File{f}, options[f.Name])
		if err != nil {
			continue
		}
		for _, found := range r.Findings {
			if found.Found == "" || found.Fix == "" {
				continue
			}
			fixes++
			text := strings.Replace(string(f.Data), found.Found, found.Fix, 1)
			again, err := Lint([]lint.File{{Name: f.Name, Data: []byte(text)}}, options[f.Name])
			if err != nil {
				t.Errorf("%s: %q in place of %q: %v", f.Name, found.Fix, found.Found, err)
			}
			for _, g := range again.Findings {
				if g.Rule == found.Rule && g.Line == found.Line && g.Why == found.Why {
					t.Errorf("%s: %q doesn't mend it: %s", f.Name, found.Fix, g.Why)
				}
			}
		}
	}
	if fixes < 8 {
		t.Errorf("%d fixes were tried: the corpus has more", fixes)
	}
}

func TestAFileOfTheControllersIsTold(t *testing.T) {
	for _, f := range corpus(t) {
		want := !strings.HasPrefix(f.Name, "bad-") || f.Name == "bad-quote.yaml"
		if got := Looks(f); got != want {
			t.Errorf("%s: %v", f.Name, got)
		}
	}
	for _, text := range []string{"server { listen 80; } # controller", "static_resources: {}",
		"controller: {config: {a: b}, image: x}", "kind: Deployment\nmetadata: {name: ingress-nginx-controller}\n"} {
		if Looks(lint.File{Data: []byte(text)}) {
			t.Errorf("taken for the controller's: %q", text)
		}
	}
}

func FuzzLint(f *testing.F) {
	for _, file := range corpus(f) {
		f.Add(string(file.Data))
	}
	f.Add("kind: List\nitems: [{kind: List, items: [[], 1, {kind: ConfigMap, data: {keep-alive: [1]}}]}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := lint.File{Name: "f", Data: []byte(text)}
		Looks(file)
		r, err := Lint([]lint.File{file}, lint.Options{})
		said(t, r, err)
	})
}
