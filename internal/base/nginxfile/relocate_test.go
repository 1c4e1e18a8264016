package nginxfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// tree writes files; a text that begins with "-> " makes a symbolic link.
func tree(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(path, []byte(text), 0o644)
		if target, link := strings.CutPrefix(text, "-> "); link {
			_ = os.Remove(path)
			labtest.Symlink(t, target, path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func loaded(t *testing.T, dir, main string) *Tree {
	t.Helper()
	name := filepath.Join(dir, main)
	l, err := Load(Disk{}, File{Name: name, Data: read(t, name)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// copies are copied configurations, with the files that their includes bring.
var copies = map[string]struct {
	texts      map[string]string
	main       string
	want       []string // files besides the main one
	absent     int
	nothing    int
	linkTarget string
}{
	"a link of sites-enabled, absolute, its target in the copy": {
		map[string]string{"nginx.conf": "http { include sites-enabled/*; }",
			"sites-enabled/a": "-> /etc/nginx/sites-available/a", "sites-available/a": "server {}"},
		"nginx.conf", []string{"sites-enabled/a"}, 0, 0, ""},
	"a link that ends in a line break, as an editor leaves it in a repository": {
		map[string]string{"nginx.conf": "http { include sites-enabled/*; }",
			"sites-enabled/a": "-> /etc/nginx/sites-available/a\n", "sites-available/a": "server {}"},
		"nginx.conf", []string{"sites-enabled/a"}, 0, 0, ""},
	"a link whose target is absent": {
		map[string]string{"nginx.conf": "http { include sites-enabled/*; }", "sites-enabled/a": "-> /etc/nginx/gone/a"},
		"nginx.conf", nil, 1, 0, "/etc/nginx/gone/a"},
	"a relative link whose target is absent, included by its name": {
		map[string]string{"nginx.conf": "http { include a.conf; }", "a.conf": "-> b.conf"},
		"nginx.conf", nil, 1, 0, "b.conf"},
	"a link to itself": {
		map[string]string{"nginx.conf": "http { include a.conf; }", "a.conf": "-> a.conf"},
		"nginx.conf", nil, 1, 0, "a.conf"},
	"another package's directory": {
		map[string]string{"nginx.conf": "http { include /etc/openresty/a.conf; include /etc/angie/d/*.conf; }",
			"a.conf": "", "d/x.conf": ""}, "nginx.conf", []string{"a.conf", "d/x.conf"}, 0, 0, ""},
	"a directory of one's own, by the path's last parts": {
		map[string]string{"nginx.conf": "http { include /srv/h2lab/web/conf.d/up.conf; include /srv/h2lab/web/more/*; }",
			"conf.d/up.conf": "", "more/x": ""}, "nginx.conf", []string{"conf.d/up.conf", "more/x"}, 0, 0, ""},
	"a file beside etc/nginx": {
		map[string]string{"etc/nginx/nginx.conf": "http { include /etc/h2lab-letsencrypt/tls.conf; }",
			"etc/h2lab-letsencrypt/tls.conf": ""}, "etc/nginx/nginx.conf", []string{"etc/h2lab-letsencrypt/tls.conf"}, 0, 0, ""},
	"a file of an image's root, beside its etc/nginx": {
		map[string]string{"rootfs/etc/nginx/nginx.conf": "http { include /nginx/etc/*.conf; include /h2lab-opt/a.conf; }",
			"rootfs/nginx/etc/default.conf": "", "rootfs/h2lab-opt/a.conf": ""},
		"rootfs/etc/nginx/nginx.conf", []string{"rootfs/nginx/etc/default.conf", "rootfs/h2lab-opt/a.conf"}, 0, 0, ""},
	"files that another include brought stay its own": {
		map[string]string{"nginx.conf": "http { include /etc/angie/http.d/*.conf; include /etc/angie/custom/http.d/*.conf; }",
			"http.d/a.conf": ""}, "nginx.conf", []string{"http.d/a.conf"}, 0, 1, ""},
	"a pattern without a directory would match the neighbours": {
		map[string]string{"nginx.conf": "http { include /srv/h2lab-gone/*.conf; }", "other.conf": ""},
		"nginx.conf", nil, 0, 1, ""},
	"a fragment of sites-available": {
		map[string]string{"sites-available/a": "server { include snippets/tls.conf; }", "snippets/tls.conf": ""},
		"sites-available/a", []string{"snippets/tls.conf"}, 0, 0, ""},
	"a fragment two directories below nginx.conf": {
		map[string]string{"nginx.conf": "", "conf.d/shop/a": "server { include tls.conf; }", "tls.conf": ""},
		"conf.d/shop/a", []string{"tls.conf"}, 0, 0, ""},
	"a fragment in a directory of another name": {
		map[string]string{"shop/a": "server { include tls.conf; }", "tls.conf": ""}, "shop/a", nil, 1, 0, ""},
	"a main file looks nowhere above": {
		map[string]string{"conf.d/nginx.conf": "events {} http { include tls.conf; }", "tls.conf": ""},
		"conf.d/nginx.conf", nil, 1, 0, ""},
}

// Files of a copied configuration are found where the copy has them.
func TestIncludesOfACopy(t *testing.T) {
	for name, c := range copies {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, c.texts)
			l := loaded(t, dir, c.main)
			var got []string
			for _, f := range l.Files[1:] {
				rel, err := filepath.Rel(dir, f)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			if !slices.Equal(got, c.want) || len(l.Absent) != c.absent || len(l.Nothing) != c.nothing {
				t.Errorf("read %v, want %v; absent %v, nothing %v", got, c.want, l.Absent, l.Nothing)
			}
			if c.linkTarget != "" && l.Absent[0].Link != c.linkTarget {
				t.Errorf("%+v", l.Absent[0])
			}
		})
	}
}

// A main file where a package installs it is the running one: what it names is there or absent.
func TestAnInstalledFileIsTakenAtItsWord(t *testing.T) {
	l := &loader{from: Disk{}, homes: []string{"/etc/nginx"}}
	if names := l.moved("/srv/h2lab/conf.d/x.conf"); names != nil {
		t.Error(names)
	}
	if !Installed("/etc/nginx/nginx.conf") || Installed("etc/nginx/nginx.conf") {
		t.Error("which files are installed")
	}
}

func TestTheNginxConfAboveAFragmentIsNamed(t *testing.T) {
	dir := tree(t, map[string]string{"nginx.conf": "http {}", "conf.d/a.conf": "server {}"})
	if l := loaded(t, dir, "conf.d/a.conf"); l.Main != filepath.ToSlash(filepath.Join(dir, "nginx.conf")) {
		t.Error(l.Main)
	}
}

// Offsets of directives are those of the file's bytes.
func TestPlacesInBytes(t *testing.T) {
	text := "http {\n\t# é\n  gzip on ;\n}\n"
	top, err := parseText(text)
	if err != nil {
		t.Fatal(err)
	}
	http, gzip := top[0], top[0].Block[0]
	if got := text[http.From:http.To]; got != "http {" {
		t.Errorf("%q", got)
	}
	if got := text[gzip.From:gzip.To]; got != "gzip on ;" {
		t.Errorf("%q", got)
	}
}
