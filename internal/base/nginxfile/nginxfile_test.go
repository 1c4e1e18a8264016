package nginxfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

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
		top, _ := parseText(c.text)
		got := []string{top[0].Name}
		for _, w := range top[0].Args {
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
		labtest.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		err := os.WriteFile(path, []byte(text), 0o644)
		if target, link := strings.CutPrefix(text, "-> "); link {
			_ = os.Remove(path)
			labtest.Symlink(t, target, path)
		}
		labtest.Check(t, err)
	}
	return dir
}

func loaded(t *testing.T, dir, main string) *Tree {
	t.Helper()
	name := filepath.Join(dir, main)
	l, err := Load(Disk{}, File{Name: name, Data: read(t, name)}, nil)
	labtest.Check(t, err)
	return l
}

// Files of a copied configuration are found where the copy has them.
func TestIncludesOfACopy(t *testing.T) {
	all, err := txtar.ParseFile("testdata/copies.txtar")
	labtest.Check(t, err)
	for i := 0; i < len(all.Files); {
		title, texts := strings.Split(all.Files[i].Name, "¦"), map[string]string{}
		for i++; i < len(all.Files) && !strings.Contains(all.Files[i].Name, "¦"); i++ {
			texts[all.Files[i].Name] = strings.TrimSuffix(string(all.Files[i].Data), "\n")
		}
		dir := tree(t, texts)
		l := loaded(t, dir, strings.TrimSpace(title[1]))
		var got []string
		for _, f := range l.Files[1:] {
			rel, err := filepath.Rel(dir, f)
			labtest.Check(t, err)
			got = append(got, filepath.ToSlash(rel))
		}
		link, target := "", strings.TrimSpace(title[4])
		if target != "" && len(l.Absent) > 0 {
			link = l.Absent[0].Link
		}
		if !slices.Equal(got, strings.Fields(title[2])) || fmt.Sprint(len(l.Absent), len(l.Nothing)) != strings.TrimSpace(title[3]) || link != target {
			t.Errorf("%s: read %v; absent %v, nothing %v", title[0], got, l.Absent, l.Nothing)
		}
	}
}

// A main file where a package installs it is the running one: what it names is there or absent.
func TestAnInstalledFileIsTakenAtItsWord(t *testing.T) {
	l := &loader{from: Disk{}, homes: []string{"/etc/nginx"}}
	if all := l.candidates("/srv/h2lab/conf.d/x.conf"); len(all) != 1 {
		t.Error(all)
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
	labtest.Check(t, err)
	http, gzip := top[0], top[0].Block[0]
	if got := text[http.From:http.To]; got != "http {" {
		t.Errorf("%q", got)
	}
	if got := text[gzip.From:gzip.To]; got != "gzip on ;" {
		t.Errorf("%q", got)
	}
}
