package accesslog

import (
	"bytes"
	"io"
	"testing"

	"github.com/tidwall/gjson"
)

// BenchmarkWalkers compares object with gjson, the subject of docs/decisions/0014: "valid" is gjson
// with a check that the line is complete, as object does.
func BenchmarkWalkers(b *testing.B) {
	g := &traffic{limit: 1000, alive: 50, empty: 40, perSec: 5000, json: true, lines: 100_000}
	text, err := io.ReadAll(g)
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	j := newJSONReader(nil)
	for name, f := range map[string]func(line []byte, r *Record) bool{
		"walker":      j.line,
		"gjson":       func(line []byte, r *Record) bool { return gjsonLine(j, line, r, false) },
		"gjson-valid": func(line []byte, r *Record) bool { return gjsonLine(j, line, r, true) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text) / len(lines)))
			var r Record
			for i := 0; b.Loop(); i++ {
				if !f(lines[i%len(lines)], &r) || r.Connection == 0 {
					b.Fatal(string(lines[i%len(lines)]))
				}
			}
		})
	}
}

func gjsonLine(j *jsonReader, line []byte, r *Record, valid bool) bool {
	*r = Record{Age: -1, Upstreams: -1}
	if valid && !gjson.ValidBytes(line) {
		return false
	}
	all := gjson.ParseBytes(line)
	if !all.IsObject() {
		return false
	}
	ok, connection, i := true, false, 0
	all.ForEach(func(key, value gjson.Result) bool {
		f := j.root.known(i, []byte(key.Str)).field
		i++
		if f == skipped || value.Type == gjson.Null {
			return true
		}
		connection = connection || f == fConnection
		ok = j.set(r, f, []byte(value.Raw))
		return ok
	})
	return ok && connection && (r.Ordinal > 0 || !j.ordinal)
}
