package nginxconf

import (
	"bytes"
	"h2lab/internal/base/texts"
	"io"
	"testing"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// For any file, Lint returns an error that names one of its lines, or a report that can be printed.
// The test reads nothing from disk.
func FuzzLint(f *testing.F) {
	for name := range corpus(f) {
		f.Add(read(f, name), "1.22.1")
	}
	f.Add([]byte(printed), "")
	f.Add([]byte("a \"b\\"), "1.18.0")
	f.Add([]byte("content_by_lua_block { [==[ ]=] --[[ ' }"), "")
	f.Add([]byte("# configuration file a:\ninclude a;\n# configuration file a:\ninclude *;"), "1.30.0")
	f.Fuzz(func(t *testing.T, data []byte, version string) {
		file := lint.File{Name: "x.conf", Data: data}
		Looks(file)
		r, err := lintFrom(nginxfile.Dump{}, []lint.File{file}, lint.Options{Version: version})
		if err != nil {
			return
		}
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, finding := range r.Findings {
			if finding.Line < 1 || finding.Line > lines {
				t.Fatalf("%+v is outside the %d lines", finding, lines)
			}
		}
		lint.Text(io.Discard, texts.English, nil, "x.conf", r)
		if err := lint.JSON(io.Discard, "x.conf", r); err != nil {
			t.Fatal(err)
		}
	})
}
