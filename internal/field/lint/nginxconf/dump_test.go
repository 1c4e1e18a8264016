package nginxconf

import (
	"strings"
	"testing"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

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
	return lintFrom(nginxfile.Dump{}, []lint.File{{Name: "-", Data: []byte(text)}}, lint.Options{Version: version})
}

// Lint splits the output of `nginx -vT`: findings name the files and lines of the machine that printed
// it, and includes are in nginx's order.
func TestDump(t *testing.T) {
	for _, text := range []string{printed, strings.ReplaceAll(printed, "\n", "\r\n")} {
		r, err := lintText(text, "")
		if err != nil {
			t.Fatal(err)
		}
		if r.Version != "1.22.1" || len(r.Assumed) != 0 || len(r.Files) != 4 || len(r.Listeners) != 2 {
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
		{"2026/01/01 10:00:00 [emerg] 1#1: bad\nnginx: configuration file /etc/nginx/nginx.conf test failed\n",
			"-: only messages of nginx and no configuration, which `nginx -T` prints when the test succeeds; " +
				"the last one: nginx: configuration file /etc/nginx/nginx.conf test failed"},
		{strings.Repeat("#", lint.MostBytes+1), "-: larger than 16 MiB: that is no nginx configuration"},
	} {
		if _, err := lintText(c.text, ""); err == nil || err.Error() != c.want {
			t.Errorf("%.40q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestLooks(t *testing.T) {
	for text, want := range map[string]bool{
		printed:                                true,
		"user x;":                              true,
		"server {\n":                           true,
		"events {}":                            true,
		"# c\n\nhttp {":                        true,
		"include x;":                           true,
		"static_resources:\n  listeners: []\n": false,
		"global\n  maxconn 5\nfrontend x\n":    false,
		"[entryPoints]\n":                      false,
		"":                                     false,
		"{\"a\": 1}":                           false,
		"nginx: configuration file x test failed": true,
		"\x00\x01": false,
	} {
		if got := Looks(lint.File{Name: "x", Data: []byte(text)}); got != want {
			t.Errorf("%.30q: %v", text, got)
		}
	}
}
