package nginxconf

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/fix"
)

var versionLine = regexp.MustCompile(`^# version (\S+)`)

// corpus returns every configuration of testdata/corpus with the version that its first line names.
func corpus(t testing.TB) map[string]lint.Options {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.conf")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files in the corpus, %v", len(files), err)
	}
	out := map[string]lint.Options{}
	for _, f := range files {
		o := lint.Options{}
		if m := versionLine.FindSubmatch(read(t, f)); m != nil {
			o.Version = string(m[1])
		}
		out[filepath.ToSlash(f)] = o
	}
	return out
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	return []byte(labtest.Read(t, name))
}

// The table of defaults in docs/lint.md matches the code.
func TestTheDefaultsOfEachRelease(t *testing.T) {
	for _, c := range []struct{ version, limit, idle, age string }{
		{"1.10.3", "no limit", "180s", "never"},
		{"1.11.5", "no limit", "180s", "never"},
		{"1.11.6", "1000", "180s", "never"},
		{"1.19.6", "1000", "180s", "never"},
		{"1.19.7", "100", "75s", "never"},
		{"1.19.9", "100", "75s", "never"},
		{"1.19.10", "1000", "75s", "1h"},
		{"1.20.0", "1000", "75s", "1h"},
		{"1.31.4", "1000", "75s", "1h"},
	} {
		r, err := lintText("events {} http { server { listen 443 ssl http2; } }", c.version)
		if err != nil || len(r.Listeners) != 1 {
			t.Fatalf("%v %+v", err, r)
		}
		l := r.Listeners[0]
		if l.Limit.String() != c.limit || l.Idle.String() != c.idle || l.Age.String() != c.age {
			t.Errorf("%s: %s %s %s", c.version, l.Limit, l.Idle, l.Age)
		}
	}
}

// fixedText writes the texts, applies all fixes to nginx.conf and returns the result and the text of a file.
func fixedText(t *testing.T, texts map[string]string, version string) (*fix.Result, map[string]string) {
	t.Helper()
	dir := t.TempDir()
	out := map[string]string{}
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, dir, name, text)
		out[name] = text
	}
	main := filepath.Join(dir, "nginx.conf")
	r, err := fix.Run(func(changed map[string][]byte) (lint.Report, error) {
		return LintChanged(changed, []lint.File{{Name: main, Data: []byte(texts["nginx.conf"])}}, lint.Options{Version: version})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Files {
		rel, err := filepath.Rel(dir, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		out[rel] = string(f.New)
	}
	return r, out
}

func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// After the fixes no finding has one, whatever the release.
func TestFixesLeaveNothingToFix(t *testing.T) {
	for name := range corpus(t) {
		for _, version := range []string{"", "1.10.3", "1.18.0", "1.22.1", "1.28.0", "1.30.0"} {
			text := string(read(t, name))
			r, _ := fixedText(t, map[string]string{"nginx.conf": text}, version)
			for _, f := range r.After.Findings {
				if len(f.Edits) > 0 {
					t.Errorf("%s, %s: %s at %s:%d has a fix still", name, version, f.Rule, f.File, f.Line)
				}
			}
		}
	}
}

// rewritten are http blocks before and after their fixes.
var rewritten = map[string]struct{ version, http, want string }{
	"IPv4 and IPv6 with http2, one http2 on": {"1.26.0", `keepalive_requests 100000;
server {
    listen 443 ssl http2;
    listen [::]:443 ssl http2;
}`, `keepalive_requests 100000;
server {
    listen 443 ssl;
    http2 on;
    listen [::]:443 ssl;
}`},
	"a server that relied on another one's listen": {"1.26.0", `keepalive_requests 100000;
server { listen 443 ssl http2; server_name a; }
server { listen 443 ssl; server_name b; }`, `keepalive_requests 100000;
server { listen 443 ssl;
http2 on; server_name a; }
server {
    http2 on; listen 443 ssl; server_name b; }`},
	"no http2 on without a version": {"", `keepalive_requests 100000;
server { listen 443 ssl http2; }`, `keepalive_requests 100000;
server { listen 443 ssl http2; }`},
	"http2 on is there already, so the release is known": {"", `keepalive_requests 100000;
server { listen 443 ssl http2; server_name a; http2 on; }`, `keepalive_requests 100000;
server { listen 443 ssl; server_name a; http2 on; }`},
	"the same limit in every server": {"1.30.0", `server { listen 443 ssl; http2 on; keepalive_requests 500; server_name a; }
server { listen 443 ssl; http2 on; keepalive_requests 500; server_name b; }`,
		`server { listen 443 ssl; http2 on; keepalive_requests 100000; server_name a; }
server { listen 443 ssl; http2 on; keepalive_requests 100000; server_name b; }`},
	"a unix socket with a URI": {"1.30.0", `server { listen 80;
    location / { proxy_pass http://unix:/run/app.sock:/x; proxy_set_header Host $host; }
    location /y { proxy_pass http://unix:/run/app.sock; proxy_set_header Host $host; }
}`, `upstream app { server unix:/run/app.sock; keepalive 32; }
server { listen 80;
    location / { proxy_pass http://app/x; proxy_set_header Host $host; }
    location /y { proxy_pass http://app; proxy_set_header Host $host; }
}`},
	"the Host header and the TLS name stay": {"1.30.0", `server { listen 80;
    location / {
        proxy_pass https://app.example.com;
    }
}`, `upstream app_example_com { server app.example.com:443; keepalive 32; }
server { listen 80;
    location / {
        proxy_pass https://app_example_com;
        proxy_set_header Host app.example.com;
        proxy_ssl_name app.example.com;
    }
}`},
	"inherited headers are repeated": {"1.26.0", `proxy_set_header X-Real-IP $remote_addr;
upstream up { server 127.0.0.1:9; keepalive 4; }
server { listen 80;
    location / {
        proxy_pass http://up;
    }
}`, `proxy_set_header X-Real-IP $remote_addr;
upstream up { server 127.0.0.1:9; keepalive 4; }
server { listen 80;
    location / {
        proxy_pass http://up;
        proxy_http_version 1.1;
        proxy_set_header X-Real-IP $remote_addr;
        proxy_set_header Connection "";
    }
}`},
	"a pass inside if": {"1.26.0", `upstream up { server 127.0.0.1:9; keepalive 4; }
server { listen 80;
    location / {
        if ($arg_a) { proxy_pass http://up; }
    }
}`, `upstream up { server 127.0.0.1:9; keepalive 4; }
server { listen 80;
    location / {
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        if ($arg_a) { proxy_pass http://up; }
    }
}`},
	"a map that closes ordinary requests": {"1.26.0", `map $http_upgrade $conn { default upgrade; '' close; }
upstream up { server 127.0.0.1:9; keepalive 4; }
server { listen 80;
    location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection $conn; }
}`, `map $http_upgrade $conn { default upgrade; '' ''; }
upstream up { server 127.0.0.1:9; keepalive 4; }
server { listen 80;
    location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection $conn; }
}`},
	"an explicit close and 1.0 are replaced": {"1.26.0", `upstream up { server 127.0.0.1:9; keepalive 4; }
server { listen 80;
    location / { proxy_http_version 1.0; proxy_set_header connection close; proxy_pass http://up; }
}`, `upstream up { server 127.0.0.1:9; keepalive 4; }
server { listen 80;
    location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://up; }
}`},
	"a pool of another name has the server, and one has the usual name": {"1.30.0", `upstream backend { server 10.0.0.1:1; }
upstream app { server 127.0.0.1:8080; }
server { listen 80;
    location / { proxy_pass http://127.0.0.1:8080; proxy_set_header Host $host; }
}`, `upstream backend { server 10.0.0.1:1; }
upstream app { server 127.0.0.1:8080; }
server { listen 80;
    location / { proxy_pass http://app; proxy_set_header Host $host; }
}`},
	"a new pool takes no name that is there": {"1.30.0", `upstream local_8080 { server 10.0.0.1:1; }
server { listen 80;
    location / { grpc_pass 127.0.0.1:8080; grpc_set_header Host $host; }
}`, `upstream local_8080 { server 10.0.0.1:1; }
upstream local_8080_2 { server 127.0.0.1:8080; keepalive 32; }
server { listen 80;
    location / { grpc_pass local_8080_2; grpc_set_header Host $host; }
}`},
	"an old limit becomes the new one": {"1.30.0", `http2_max_requests 500; http2_idle_timeout 5m; http2_max_field_size 8k;
server { listen 443 ssl; http2 on; keepalive_requests 200000; }`, `keepalive_requests 500; keepalive_timeout 5m; 
server { listen 443 ssl; http2 on; keepalive_requests 200000; }`},
}

// What the fixes make of a configuration.
func TestWhatTheFixesWrite(t *testing.T) {
	for name, c := range rewritten {
		t.Run(name, func(t *testing.T) {
			around := func(s string) string { return "events { worker_connections 4096; }\nhttp {\n" + s + "\n}\n" }
			_, got := fixedText(t, map[string]string{"nginx.conf": around(c.http)}, c.version)
			if diff := cmp.Diff(around(c.want), got["nginx.conf"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A file that two servers include is changed once.
func TestAnIncludedFileIsChangedOnce(t *testing.T) {
	_, got := fixedText(t, map[string]string{
		"nginx.conf": "events { worker_connections 4096; }\nhttp {\nserver { listen 443 ssl; http2 on; include limits; server_name a; }\n" +
			"server { listen 443 ssl; http2 on; include limits; server_name b; }\n}\n",
		"limits": "keepalive_requests 100;\nkeepalive_timeout 0;\n"}, "1.30.0")
	if want := "keepalive_requests 100000;\nkeepalive_timeout 75s;\n"; got["limits"] != want {
		t.Errorf("%q", got["limits"])
	}
}
