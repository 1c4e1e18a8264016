package nginxconf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/lint"
)

// named are the rules of a report, without the kind; a rule of several findings is there several times.
func named(r lint.Report) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, strings.TrimPrefix(f.Rule, "nginx/"))
	}
	return out
}

// Patterns of public repositories: which rules report them, which don't, and what the report says it had to assume.
func TestReportsOfPublicTrees(t *testing.T) {
	all, err := txtar.ParseFile("testdata/reports.txtar")
	labtest.Check(t, err)
	for _, f := range all.Files {
		title := strings.Split(f.Name, "¦")
		text, version, rules, want := string(f.Data), strings.TrimSpace(title[1]), strings.TrimSpace(title[2]), strings.TrimSpace(title[3])
		if !strings.HasPrefix(text, "events") && !strings.HasPrefix(text, "#") {
			text = "events { worker_connections 8192; }\nhttp {\n" + text + "}\n"
		}
		r, err := lintText(text, version)
		labtest.Check(t, err)
		if got := strings.Join(named(r), " "); rules != "*" && got != rules {
			t.Errorf("%s: %s, want %s\n%+v", title[0], got, rules, r.Findings)
		}
		if said := r.Assumptions(); want == "-" && strings.Contains(said, "\n") || want != "-" && !strings.Contains(said, want) {
			t.Errorf("%s: %s, want %s", title[0], said, want)
		}
	}
}

// What the files don't say is unknown, not nginx's default.
func TestListenersThatAreUnknown(t *testing.T) {
	for text, want := range map[string]string{
		"http { server { include listen.inc; } }":   "? ?",
		"http { server { listen 2081 xquic; } }":    "*:2081 ?",
		"http { server { } }":                       "*:80 http/1.1",
		"http { server { include mime.types; } }":   "*:80 http/1.1",
		"http { server { listen 443 ssl spdy; } }":  "*:443 http/1.1",
		"http { server { listen 80 backlog=10; } }": "*:80 http/1.1",
	} {
		r, err := lintText("events {}\n"+text, "1.26.0")
		if err != nil || len(r.Listeners) != 1 {
			t.Fatalf("%s: %v", text, err)
		}
		if l := r.Listeners[0]; l.Default == (l.Address == "?") || l.Address+" "+strings.Join(l.Protocols, "+") != want {
			t.Errorf("%s: %s %v, want %s", text, l.Address, l.Protocols, want)
		}
	}
}

// A file that a program generates names the place of the change, and has nothing that --fix could apply.
func TestGeneratedFiles(t *testing.T) {
	body := "events { worker_connections 8192; }\nhttp {\nserver { listen 443 ssl; http2 on; }\nupstream kong_upstream { server 0.0.0.1; }\n}\n"
	for name, c := range map[string]struct{ text, by, fix string }{
		"ingress-nginx": {"# Configuration checksum: 12\n" + strings.Replace(body, "kong_", "", 1), "ingress-nginx",
			`keep-alive-requests: "100000"`},
		"Kong": {body, "Kong", "nginx_proxy_keepalive_requests = 100000"},
		"NGINX Proxy Manager": {strings.Replace(strings.Replace(body, "kong_", "", 1), "http2 on;", "http2 on;\n set $forward_scheme http;", 1),
			"NGINX Proxy Manager", "http {\n    keepalive_requests 100000;"},
		"a program of one's own": {"# Ansible managed: do not edit\n" + strings.Replace(body, "kong_", "", 1), "another program",
			"http {\n    keepalive_requests 100000;"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := lintText(c.text, "1.26.0")
			if err != nil || texts.English.In(r.Generated["-"]) != c.by || len(r.Findings) != 1 {
				t.Fatalf("%v %v %+v", err, r.Generated, r.Findings)
			}
			if f := r.Findings[0]; f.Fix != c.fix || f.Edits != nil || !strings.Contains(f.Why.String(), "writes this file") {
				t.Errorf("%+v", f)
			}
		})
	}
	files := "# configuration file /etc/nginx/nginx.conf:\nevents {}\nhttp { include c/a; include c/b; }\n"
	for _, name := range []string{"a", "b"} {
		files += "# configuration file /etc/nginx/c/" + name + ":\n# AUTO-GENERATED. DO NOT EDIT.\nserver { listen 80; }\n"
	}
	if r, err := lintText(files, "1.26.0"); err != nil || !strings.Contains(r.Assumptions(),
		"Changes of /etc/nginx/c/a, /etc/nginx/c/b belong in the template that it is made from: another program writes it.") {
		t.Errorf("%v %q", err, r.Assumed)
	}
	if r, err := lintText("# generated 2026-01-01, a security guideline\nhttp {}\n", "1.26.0"); err != nil || len(r.Generated) > 0 {
		t.Errorf("%v %v", err, r.Generated)
	}
}

// Debian's modules-enabled has links to files that load modules: a copy lacks them, and they set nothing.
func TestLinksToModulesAreNoFindings(t *testing.T) {
	for place, want := range map[string]int{"modules-enabled": 0, "extras": 1} {
		dir := t.TempDir()
		labtest.Check(t, os.Mkdir(filepath.Join(dir, place), 0o755))
		labtest.Symlink(t, "/usr/share/nginx/gone/50-mod-mail.conf", filepath.Join(dir, place, "50-mod-mail.conf"))
		name := filepath.Join(dir, "nginx.conf")
		data := []byte("include " + place + "/*.conf;\nevents {}\nhttp { server { listen 80; } }\n")
		labtest.Check(t, os.WriteFile(name, data, 0o644))
		r, err := Lint([]lint.File{{Name: name, Data: data}}, lint.Options{Version: "1.26.0"})
		if err != nil || len(r.Findings) != want {
			t.Errorf("%s: %v %+v", place, err, r.Findings)
		}
	}
}
