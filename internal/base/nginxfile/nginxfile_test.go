package nginxfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

func parseText(text string) ([]*Directive, error) {
	left := mostDirectives
	return parse(File{Name: "x.conf", Data: []byte(text)}, &left)
}

// Every error has the file, the line and the problem.
func TestBrokenFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"events {}\n}\nhttp {}", `x.conf:2: unexpected "}": no block is open`},
		{"http {\n  gzip on\n}\n", `x.conf:3: unexpected "}": "gzip" in line 2 doesn't end with ";"`},
		{"http {\n  server {\n}\n", `x.conf:4: unexpected end of file: the block "http" of line 1 isn't ended by "}"`},
		{"events {}\nuser x", `x.conf:2: unexpected end of file: "user" in line 2 doesn't end with ";"`},
		{"\n;", `x.conf:2: unexpected ';': no directive stands before it`},
		{"{ gzip on; }", `x.conf:1: unexpected '{': no directive stands before it`},
		{"a \"b;\n\n", `x.conf:1: the string that begins in column 3 has no closing "`},
		{"a 'b\n", `x.conf:1: the string that begins in column 3 has no closing '`},
		{`a "b"c;`, `x.conf:1: unexpected 'c' after a closing quote`},
		{"a " + strings.Repeat("x", 5000) + ";", `x.conf:1: a word of more than 4096 bytes begins in column 3`},
		{"a \"" + strings.Repeat("x", 5000) + "\";", `x.conf:1: the string that begins in column 3 has no closing "`},
		{"a b;\nc \x00;", `x.conf:2: binary: a configuration is text`},
		{"\ufeffevents {}",
			`x.conf:1: begins with a byte order mark, which nginx takes for part of the first directive's name: ` +
				`save the file without it`},
		{strings.Repeat("a {\n", 200), `x.conf:100: blocks are nested deeper than 100`},
		{"server {\n  server_name {NAME};\n}\n", `x.conf:2: unexpected "{": "server_name" takes no block`},
		{"content_by_lua_block {\n { }", `x.conf:1: the Lua of "content_by_lua_block" isn't ended by "}"`},
	} {
		_, err := parseText(c.text)
		var syntax *Error
		if !errors.As(err, &syntax) || err.Error() != c.want {
			t.Errorf("%.40q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

// The words that nginx's parser reads, with its handling of backslashes.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{`a b c;`, []string{"a", "b", "c"}},
		{`a "b c" 'd e';`, []string{"a", "b c", "d e"}},
		{`a "b\"c" 'd\'e' f\"g;`, []string{"a", `b"c`, `d'e`, `f"g`}},
		{`a "\\" b;`, []string{"a", `\`, "b"}},
		{`a x\;y x\ y x\{y;`, []string{"a", `x\;y`, `x\ y`, `x\{y`}},
		{`a ${b}c $d{`, []string{"a", "${b}c", "$d"}},
		{`a b#c # d;` + "\n;", []string{"a", "b#c"}},
		{`a x}y;`, []string{"a", "x}y"}},
		{`a b"c"d;`, []string{"a", `b"c"d`}},
		{"a `b c`;", []string{"a", "`b", "c`"}},
		{`if ("$a" = "b") {`, []string{"if", "(\"$a\"", "=", "b", ")"}},
		{"a\tb\r\n;", []string{"a", "b"}},
	} {
		s := NewScanner(File{Name: "x", Data: []byte(c.text)})
		st, _ := s.Next()
		var got []string
		for _, w := range st.Words {
			got = append(got, w.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n%s", c.text, diff)
		}
	}
}

func TestPlacesOfWords(t *testing.T) {
	top, err := parseText("http {\n\tkeepalive_requests\n    100\n ;\n}\n")
	labtest.Check(t, err)
	d := top[0].Block[0]
	if top[0].Line != 1 || d.Line != 2 || d.Column != 2 || d.Args[0].Line != 3 || d.Args[0].Column != 5 ||
		d.Text() != "keepalive_requests 100;" {
		t.Errorf("%+v %q", d, d.Text())
	}
}

func TestDirectivesAreBounded(t *testing.T) {
	left := 5
	if _, err := parse(File{Name: "x", Data: []byte(strings.Repeat("a;\n", 6))}, &left); err == nil ||
		err.Error() != "x:6: more than 1000000 directives" {
		t.Errorf("%v", err)
	}
}

// corpusDir has the configurations that the linter's tests read too.
const corpusDir = "../../field/lint/nginxconf/testdata/corpus"

// corpus returns the paths of its configurations.
func corpus(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpusDir, "*.conf"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d configurations in %s: %v", len(files), corpusDir, err)
	}
	for i := range files {
		files[i] = filepath.ToSlash(files[i])
	}
	return files
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	labtest.Check(t, err)
	return data
}

// Every input must yield either an error with one of its lines, or directives on its lines.
func FuzzParse(f *testing.F) {
	for _, name := range corpus(f) {
		f.Add(read(f, name))
	}
	f.Add([]byte("a \"b\\"))
	f.Add([]byte("content_by_lua_block { [==[ ]=] --[[ ' }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Count(data, []byte("\n")) + 1
		left := mostDirectives
		top, err := parse(File{Name: "x", Data: data}, &left)
		if e, is := err.(*Error); is && (e.Line < 1 || e.Line > lines) {
			t.Fatalf("%v is outside the %d lines", err, lines)
		}
		for _, d := range top {
			d.Walk(func(d *Directive) {
				if d.Line < 1 || d.Line > lines {
					t.Fatalf("%q in line %d of %d", d.Name, d.Line, lines)
				}
			})
		}
	})
}

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
