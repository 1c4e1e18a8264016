package nginxfile

import (
	"bytes"
	"testing"
)

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
