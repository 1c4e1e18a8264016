package nginxconf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"75", 75, true}, {"75s", 75, true}, {"1h30m", 5400, true}, {"1h 30m", 5400, true},
		{"500ms", 0.5, true},
		{"1M", 0, false}, {"30m1h", 0, false},
		{"", 0, false}, {"h", 0, false},
		{"5 5", 10, true}, {"5 5s", 0, false}, {"-1", 0, false}, {"1k", 0, false},
		{"9223372036854775807", 0, false},
	} {
		if got, ok := seconds(c.text); ok != c.ok || got != c.want {
			t.Errorf("%q: %v %v", c.text, got, ok)
		}
	}
}

// files writes the texts to a directory and lints its nginx.conf.
func files(t *testing.T, texts map[string]string) (lint.Report, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		labtest.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		labtest.Check(t, os.WriteFile(path, []byte(text), 0o644))
	}
	main := filepath.Join(dir, "nginx.conf")
	r, err := Lint([]lint.File{{Name: main, Data: []byte(texts["nginx.conf"])}}, lint.Options{})
	if err != nil {
		err = errors.New(strings.NewReplacer(dir+string(filepath.Separator), "", filepath.ToSlash(dir)+"/", "").
			Replace(err.Error()))
	}
	return r, err
}

func TestIncludesThatCantBeRead(t *testing.T) {
	for _, c := range []struct {
		texts map[string]string
		want  string
	}{
		{map[string]string{"nginx.conf": "\ninclude nginx.conf;"},
			"nginx.conf:2: include of nginx.conf, which is being read: it includes itself"},
		{map[string]string{"nginx.conf": "include a;", "a": "include b;", "b": "\n\ninclude a;"},
			"b:3: include of a, which is being read: it includes itself"},
		{map[string]string{"nginx.conf": "include d;", "d/x": ""}, "nginx.conf:1: include of d: d is a directory, and only regular files are read (ls -ld d)"},
		{map[string]string{"nginx.conf": "include a;", "a": "x {\n"},
			`a:2: unexpected end of file: the block "x" of line 1 isn't ended by "}"`},
		{map[string]string{"nginx.conf": "include a/*.conf;", "a/1.conf": "gzip on;", "a/2.conf": "gzip"},
			`a/2.conf:1: unexpected end of file: "gzip" in line 1 doesn't end with ";"`},
	} {
		if _, err := files(t, c.texts); err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// Thirty files that each include the next one twice expand to a billion.
func TestIncludesAreBounded(t *testing.T) {
	texts := map[string]string{"nginx.conf": "include f0; include f0;"}
	for i := range 30 {
		texts[fmt.Sprintf("f%d", i)] = fmt.Sprintf("include f%d; include f%d;", i+1, i+1)
	}
	texts["f30"] = "gzip on;"
	if _, err := files(t, texts); err == nil || !strings.Contains(err.Error(), "too many includes") {
		t.Errorf("%v", err)
	}
}

const printed = `nginx version: nginx/1.22.1
nginx: the configuration file /etc/nginx/nginx.conf syntax is ok
nginx: configuration file /etc/nginx/nginx.conf test is successful
# configuration file /etc/nginx/nginx.conf:
events {}
http {
    include mime.types;
    include /etc/nginx/conf.d/*.conf;
}

# configuration file /etc/nginx/mime.types:
types { text/html html; }

# configuration file /etc/nginx/conf.d/b.conf:

server { listen 443 ssl http2; server_name b.test; keepalive_requests 100; }

# configuration file /etc/nginx/conf.d/a.conf:
server { listen 443 ssl http2; server_name a.test; }

`

func lintText(text, version string) (lint.Report, error) {
	return lintFrom(nginxfile.Dump{}, nil, []lint.File{{Name: "-", Data: []byte(text)}}, lint.Options{Version: version})
}

// Lint splits the output of `nginx -vT`: findings name the files and lines of the machine that printed
// it, and includes are in nginx's order.
func TestDump(t *testing.T) {
	for _, text := range []string{printed, strings.ReplaceAll(printed, "\n", "\r\n")} {
		r, err := lintText(text, "")
		labtest.Check(t, err)
		if r.Version != "1.22.1" || len(r.Assumed) != 1 || len(r.Files) != 4 || len(r.Listeners) != 2 {
			t.Fatalf("%+v", r)
		}
		if a := r.Listeners[0]; a.Name != "a.test" || !a.Default || a.File != "/etc/nginx/conf.d/a.conf" {
			t.Errorf("%+v", a)
		}
		found := false
		for _, f := range r.Findings {
			found = found || f.Rule == "nginx/limit-below-in-flight" && f.File == "/etc/nginx/conf.d/b.conf" &&
				f.Line == 2
		}
		if !found {
			t.Errorf("%+v", r.Findings)
		}
	}
}

func TestReleases(t *testing.T) {
	body := "# configuration file /n.conf:\nevents {}\n"
	for _, c := range []struct{ text, said, want, assumed string }{
		{"nginx version: nginx/1.18.0 (Ubuntu)\n" + body, "", "1.18.0", ""},
		{"nginx version: nginx/1.18.0\n" + body, "1.30.0", "1.30.0", ""},
		{"nginx version: openresty/1.25.3.1\n" + body, "", "1.25.3", ""},
		{"nginx version: Angie/1.5.0\n" + body, "", newest, "Angie/1.5.0 is no release of nginx's own"},
		{body, "", newest, "is assumed: give --version"},
		{body, "nginx/1.22.1", "1.22.1", ""},
	} {
		r, err := lintText(c.text, c.said)
		if err != nil || r.Version != c.want {
			t.Errorf("%q: %v %q", c.text, err, r.Version)
		}
		if said := r.Assumptions(); !strings.Contains(said, c.assumed) ||
			c.assumed == "" && strings.Contains(said, "assumed") {
			t.Errorf("%q: %q", c.text, said)
		}
	}
	if _, err := lintText(body, "one"); err == nil {
		t.Error("a version that is none was taken")
	}
}

func TestWhatIsNoConfiguration(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "-: empty: there is no configuration in it"},
		{" \n\n", "-: empty: there is no configuration in it"},
		{"# only words\n", "-: empty: there is no directive in it"},
		{"a: b\nserver { listen 80; }\n", "-:1: YAML, which nginx doesn't read"},
		{"2026/01/01 10:00:00 [emerg] 1#1: bad\nnginx: configuration file /etc/nginx/nginx.conf test failed\n",
			"-: only messages of nginx and no configuration, which `nginx -T` prints when the test succeeds; " +
				"the last one: nginx: configuration file /etc/nginx/nginx.conf test failed"},
	} {
		if _, err := lintText(c.text, ""); err == nil || err.Error() != c.want {
			t.Errorf("%.40q: %v\nwant %s", c.text, err, c.want)
		}
	}
}
