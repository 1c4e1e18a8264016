package nginxfile

import (
	"errors"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"

	"github.com/google/go-cmp/cmp"
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
