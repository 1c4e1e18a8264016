package nginxconf

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/lint"
)

// hostile returns files that cost the most time for their size.
func hostile(size int) map[string]string {
	fill := func(before, piece, after string) string {
		return before + strings.Repeat(piece, (size-len(before)-len(after))/len(piece)) + after
	}
	return map[string]string{
		"empty servers": fill("http{", "server{}", "}"),
		"h2 servers":    fill("http{", "server{listen 1 ssl http2;keepalive_requests 5;}\n", "}"),
		"passes": fill("http{upstream u{server 127.0.0.1:1;keepalive 4;}server{listen 1;",
			"location /{proxy_pass http://u;}", "}}"),
		"self passes": fill("http{server{listen 1;}",
			"server{listen 2;location /{grpc_pass grpc://127.0.0.1:1;}}", "}"),
		"pool of many": fill("http{server{listen 1;location /{proxy_pass http://u;}}upstream u{", "server 127.0.0.1:1;",
			"keepalive 4;}}"),
		"words":          fill("a ", "b ", ";"),
		"comments":       fill("events{}", "#\n", ""),
		"lua":            fill("a_by_lua_block {", "[[", ""),
		"lua brackets":   fill("a_by_lua_block {", "[=", ""),
		"files":          fill("", "# configuration file a:\n", "x;"),
		"includes":       fill("# configuration file a:\n", "include b*;", ""),
		"one long word":  fill("a", "b", ""),
		"duplicates":     fill("http{", "keepalive_requests 1;", "}"),
		"no line breaks": fill("events{}", " ", ""),
	}
}

// Lint takes time linear in the size of a file. At the size of these files, quadratic time would be
// minutes.
func TestHostileFilesEnd(t *testing.T) {
	for name, text := range hostile(lint.MostBytes / 64) {
		t.Run(name, func(t *testing.T) {
			r, err := lintText(text, "1.22.1")
			if err == nil {
				lint.Text(io.Discard, texts.English, "x", r)
			}
		})
	}
}

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
		r, err := lintFrom(nginxfile.Dump{}, nil, []lint.File{file}, lint.Options{Version: version})
		if err != nil {
			return
		}
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, finding := range r.Findings {
			if finding.Line < 1 || finding.Line > lines {
				t.Fatalf("%+v is outside the %d lines", finding, lines)
			}
		}
		lint.Text(io.Discard, texts.English, "x.conf", r)
		labtest.Check(t, lint.JSON(io.Discard, "x.conf", r))
	})
}
