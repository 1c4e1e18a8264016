package nginxconf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		text  string
		whole bool
		want  float64
		ok    bool
	}{
		{"75", false, 75, true}, {"75s", false, 75, true}, {"1h30m", false, 5400, true}, {"1h 30m", false, 5400, true},
		{"500ms", false, 0.5, true},
		{"1M", false, 0, false}, {"1M", true, 2592000, true}, {"500ms", true, 0, false}, {"30m1h", false, 0, false},
		{"", false, 0, false}, {"h", false, 0, false},
		{"5 5", false, 10, true}, {"5 5s", false, 0, false}, {"-1", false, 0, false}, {"1k", false, 0, false},
		{"9223372036854775807", false, 0, false},
	} {
		if got, ok := seconds(c.text, c.whole); ok != c.ok || got != c.want {
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
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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
		{map[string]string{"nginx.conf": "include d;", "d/x": ""}, "nginx.conf:1: include of d: not a regular file"},
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

func TestIncludesOfAUsualHomeAreLookedForBeside(t *testing.T) {
	r, err := files(t, map[string]string{
		"nginx.conf":          "http { include /etc/nginx/conf.d/h2lab-*.conf; }",
		"conf.d/h2lab-a.conf": "server { listen 443 ssl; http2 on; }",
	})
	if err != nil || len(r.Listeners) != 1 || len(r.Files) != 2 {
		t.Fatalf("%v %+v", err, r)
	}
	if !strings.Contains(r.Assumptions(), "Includes of /etc/nginx/ were read from ") {
		t.Errorf("%v", r.Assumed)
	}
}
