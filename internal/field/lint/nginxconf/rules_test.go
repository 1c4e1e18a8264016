package nginxconf

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// Patterns of public repositories: which rules report them, and which don't.
func TestPatternsOfPublicTrees(t *testing.T) {
	for name, c := range map[string]struct {
		version, http string
		want          []string
	}{
		"stock files are absent from nearly every copy": {"1.26.0", `include mime.types; include /etc/nginx/fastcgi_params;
			include snippets/fastcgi-php.conf; server { listen 80; }`, nil},
		"an absent file at several places": {"1.26.0", `server { listen 80; include tls.inc; } server { listen 81; include tls.inc; }`,
			[]string{"include-absent"}},
		"patterns of a file are one finding": {"1.26.0", `include a/*.conf; include b/*.conf; server { listen 80; include c/*; }`,
			[]string{"include-nothing"}},
		"other builds' listens are compared with none": {"1.26.0", `keepalive_requests 100000;
			server { listen 443 xquic; listen 443 ssl; http2 on; }`, nil},
		"a pattern that makes a name optional": {"1.26.0", `server { listen 80; include custom/a[.]conf; }`, nil},
		"a short idle time": {"1.26.0", `keepalive_requests 100000; keepalive_timeout 5; server { listen 443 ssl; http2 on; }`,
			[]string{"idle-short"}},
		"the packages' idle time":          {"1.26.0", `keepalive_requests 100000; keepalive_timeout 65; server { listen 443 ssl; http2 on; }`, nil},
		"a short idle time without HTTP/2": {"1.26.0", `keepalive_timeout 5; server { listen 443 ssl; }`, nil},
		"few streams": {"1.26.0", `keepalive_requests 100000; http2_max_concurrent_streams 16; server { listen 443 ssl; http2 on; }`,
			[]string{"streams-low"}},
		"one request hides the limit": {"1.26.0", `keepalive_timeout 0; server { listen 443 ssl; http2 on; }`, []string{"one-request"}},
		"IPv4 and IPv6 with http2": {"1.26.0", `keepalive_requests 100000;
			server { listen 443 ssl http2; listen [::]:443 ssl http2; }`, []string{"listen-http2"}},
		"the default limit of many servers": {"1.26.0", `server { listen 443 ssl; http2 on; server_name a; }
			server { listen 443 ssl; http2 on; server_name b; } server { listen 443 ssl; http2 on; server_name c; }`,
			[]string{"limit-low"}},
		"one target at several places": {"1.30.0", `server { listen 80; location /a { proxy_pass http://10.0.0.1:1; }
			location /b { proxy_pass http://10.0.0.1:1/x; } }`, []string{"upstream-not-kept"}},
		"a map that upgrades only": {"1.26.0", `map $http_upgrade $c { default ''; websocket upgrade; }
			upstream u { server 10.0.0.1:1; keepalive 2; }
			server { listen 80; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection $c; } }`, nil},
		"a map that closes": {"1.26.0", `map $http_upgrade $c { default upgrade; '' close; }
			upstream u { server 10.0.0.1:1; keepalive 2; }
			server { listen 80; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection $c; } }`,
			[]string{"upstream-closes"}},
		"a map of another variable isn't known": {"1.26.0", `map $uri $c { default close; }
			upstream u { server 10.0.0.1:1; keepalive 2; }
			server { listen 80; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection $c; } }`, nil},
		"sizes of headers":             {"1.26.0", `http2_max_field_size 16k; server { listen 80; }`, []string{"obsolete"}},
		"a name swallows the listen":   {"1.26.0", "server { server_name a.test\n  listen 80; }", []string{"swallowed"}},
		"a host of a directive's name": {"1.26.0", "server { listen 80; server_name\n  root\n  index\n  return; }", nil},
		"arguments in lines of their own": {"1.26.0", "gzip_types\n  text/css\n  text/plain;\nserver { listen 80; " +
			"valid_referers none\n  server_names; add_header X\n  'root /a'; }", nil},
		"TCP and QUIC of one port": {"1.26.0", `keepalive_requests 100000; server { listen 443 ssl; listen 443 quic reuseport; }`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := lintText("events { worker_connections 8192; }\nhttp {\n"+c.http+"\n}\n", c.version)
			if err != nil {
				t.Fatal(err)
			}
			if got := named(r); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v\n%+v", got, c.want, r.Findings)
			}
		})
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

// The report says what it had to assume, and what no rule could judge.
func TestWhatIsAssumed(t *testing.T) {
	pools := "upstream shop { server 10.0.0.1:1; }\nserver { listen 80; location / { proxy_pass http://shop; } }"
	for name, c := range map[string]struct{ text, version, want string }{
		"the files are for an older release":  {"server { listen 443; ssl on; }", "", "nginx 1.24.0 is assumed, since 1.25.1 and later refuse `ssl on;`"},
		"a version that is given wins":        {"server { listen 443; ssl on; }", "1.10.0", "No listener speaks HTTP/2"},
		"older releases close":                {pools, "", "Before 1.29.7 nginx closes each connection to shop after one answer"},
		"nothing speaks HTTP/2":               {"server { listen 443 ssl; }", "1.26.0", "No listener speaks HTTP/2"},
		"nothing was judged":                  {"include conf.d/*.conf;", "1.26.0", "Nothing was judged"},
		"HTTP/3 is counted as HTTP/2's peer":  {"server { listen 443 quic; }", "1.26.0", ""},
		"what an unknown listener speaks":     {"server { include listen.inc; }", "1.26.0", ""},
		"a known release needs no such words": {pools, "1.30.0", "No listener speaks HTTP/2"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := lintText("events {}\nhttp {\n"+c.text+"\n}\n", c.version)
			said := r.Assumptions()
			if err != nil || !strings.Contains(said, c.want) || c.want == "" && strings.Count(said, "\n") > 0 {
				t.Errorf("%v %q", err, said)
			}
		})
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

// Absent files of one file are one finding, and what they may set isn't taken for the default.
func TestAbsentFilesAreOneFinding(t *testing.T) {
	const servers = "http { include a.inc; server { listen 443 ssl; http2 on; include b.inc; location / { proxy_pass http://10.0.0.1; } } }"
	for events, want := range map[string][]string{
		"events { include events.inc; }\n": {"include-absent", "limit-low", "upstream-not-kept"},
		"events { }\n":                     {"include-absent", "limit-low", "upstream-not-kept", "worker-connections"},
	} {
		r, err := lintText(events+servers, "1.26.0")
		got := named(r)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v %v, want %v", events, err, got, want)
		}
	}
}

// Outside of http a pattern is reported where its files may set something, and load_module lines aren't.
func TestPatternsOutsideOfHTTP(t *testing.T) {
	for text, want := range map[string]bool{
		"include custom.d/*.conf; http { server { listen 80; } }":                        true,
		"include conf.d/*.conf;":                                                         true,
		"include /etc/nginx/modules-enabled/*.conf; http { server { listen 80; } }":      false,
		"include /usr/share/nginx/modules/*.conf; http { server { listen 80; } }":        false,
		"stream { include streams/*.conf; } http { server { listen 80; } }":              false,
		"include [.]optional.conf; mail { include m/*; } http { server { listen 80; } }": false,
	} {
		r, err := lintText("events {}\n"+text, "1.26.0")
		if err != nil || (len(named(r)) == 1 && named(r)[0] == "include-nothing") != want {
			t.Errorf("%s: %v %v", text, err, named(r))
		}
	}
}

// An include in an included file stands in the block of the first one.
func TestIncludesOfIncludedFilesStandInTheBlock(t *testing.T) {
	dump := "# configuration file /etc/nginx/nginx.conf:\nevents {}\nhttp { include http.conf; }\n%s" +
		"# configuration file /etc/nginx/http.conf:\n%s\n"
	for text, want := range map[string]string{
		"include sites/*.conf;":                                     "nginx/include-nothing",
		"server { listen 443 ssl; include tls.conf; }":              "nginx/include-absent",
		"server { listen 80; location / { include a/*.conf; } }":    "nginx/include-nothing",
		"map $a $b { include maps/*.map; } server { listen 80; }\n": "nginx/include-nothing",
	} {
		r, err := lintText(fmt.Sprintf(dump, "", text), "1.26.0")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return f.Rule == want }) {
			t.Errorf("%s: %+v, want %s", text, r.Findings, want)
		}
	}
}

// Debian's modules-enabled has links to files that load modules: a copy lacks them, and they set nothing.
func TestLinksToModulesAreNoFindings(t *testing.T) {
	for place, want := range map[string]int{"modules-enabled": 0, "extras": 1} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, place), 0o755); err != nil {
			t.Fatal(err)
		}
		labtest.Symlink(t, "/usr/share/nginx/gone/50-mod-mail.conf", filepath.Join(dir, place, "50-mod-mail.conf"))
		name := filepath.Join(dir, "nginx.conf")
		data := []byte("include " + place + "/*.conf;\nevents {}\nhttp { server { listen 80; } }\n")
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Lint([]lint.File{{Name: name, Data: data}}, lint.Options{Version: "1.26.0"})
		if err != nil || len(r.Findings) != want {
			t.Errorf("%s: %v %+v", place, err, r.Findings)
		}
	}
}
