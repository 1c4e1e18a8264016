package nginxconf

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/fix"
)

var versionLine = regexp.MustCompile(`^# version (\S+)`)

// corpus returns every configuration of testdata/corpus with the version that its first line names.
func corpus(t testing.TB) map[string]lint.Options {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.conf")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files in the corpus, %v", len(files), err)
	}
	out := map[string]lint.Options{}
	for _, f := range files {
		o := lint.Options{}
		if m := versionLine.FindSubmatch(read(t, f)); m != nil {
			o.Version = string(m[1])
		}
		out[filepath.ToSlash(f)] = o
	}
	return out
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	return []byte(labtest.Read(t, name))
}

// The table of defaults in docs/lint.md matches the code.
func TestTheDefaultsOfEachRelease(t *testing.T) {
	for _, c := range []struct{ version, limit, idle, age string }{
		{"1.10.3", "no limit", "180s", "never"},
		{"1.11.5", "no limit", "180s", "never"},
		{"1.11.6", "1000", "180s", "never"},
		{"1.19.6", "1000", "180s", "never"},
		{"1.19.7", "100", "75s", "never"},
		{"1.19.9", "100", "75s", "never"},
		{"1.19.10", "1000", "75s", "1h"},
		{"1.20.0", "1000", "75s", "1h"},
		{"1.31.4", "1000", "75s", "1h"},
	} {
		r, err := lintText("events {} http { server { listen 443 ssl http2; } }", c.version)
		if err != nil || len(r.Listeners) != 1 {
			t.Fatalf("%v %+v", err, r)
		}
		l := r.Listeners[0]
		if l.Limit.String() != c.limit || l.Idle.String() != c.idle || l.Age.String() != c.age {
			t.Errorf("%s: %s %s %s", c.version, l.Limit, l.Idle, l.Age)
		}
	}
}

// fixedText writes the texts, applies all fixes to nginx.conf and returns the result and the text of a file.
func fixedText(t *testing.T, texts map[string]string, version string) (*fix.Result, map[string]string) {
	t.Helper()
	dir := t.TempDir()
	out := map[string]string{}
	for name, text := range texts {
		path := filepath.Join(dir, name)
		labtest.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		put(t, dir, name, text)
		out[name] = text
	}
	main := filepath.Join(dir, "nginx.conf")
	r, err := fix.Run(func(changed map[string][]byte) (lint.Report, error) {
		return LintChanged(changed, []lint.File{{Name: main, Data: []byte(texts["nginx.conf"])}}, lint.Options{Version: version})
	})
	labtest.Check(t, err)
	for _, f := range r.Files {
		rel, err := filepath.Rel(dir, f.Name)
		labtest.Check(t, err)
		out[rel] = string(f.New)
	}
	return r, out
}

func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	labtest.Check(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// After the fixes no finding has one, whatever the release.
func TestFixesLeaveNothingToFix(t *testing.T) {
	for name := range corpus(t) {
		for _, version := range []string{"", "1.10.3", "1.18.0", "1.22.1", "1.28.0", "1.30.0"} {
			text := string(read(t, name))
			r, _ := fixedText(t, map[string]string{"nginx.conf": text}, version)
			for _, f := range r.After.Findings {
				if len(f.Edits) > 0 {
					t.Errorf("%s, %s: %s at %s:%d has a fix still", name, version, f.Rule, f.File, f.Line)
				}
			}
		}
	}
}

// What the fixes make of a configuration.
func TestWhatTheFixesWrite(t *testing.T) {
	all, err := txtar.ParseFile("testdata/fixes.txtar")
	labtest.Check(t, err)
	for i := 0; i < len(all.Files); i += 2 {
		name, version, _ := strings.Cut(all.Files[i].Name, " ¦ ")
		around := func(s []byte) string { return "events { worker_connections 4096; }\nhttp {\n" + string(s) + "}\n" }
		_, got := fixedText(t, map[string]string{"nginx.conf": around(all.Files[i].Data)}, strings.Trim(version, "¦ "))
		if diff := cmp.Diff(around(all.Files[i+1].Data), got["nginx.conf"]); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// A file that two servers include is changed once.
func TestAnIncludedFileIsChangedOnce(t *testing.T) {
	_, got := fixedText(t, map[string]string{
		"nginx.conf": "events { worker_connections 4096; }\nhttp {\nserver { listen 443 ssl; http2 on; include limits; server_name a; }\n" +
			"server { listen 443 ssl; http2 on; include limits; server_name b; }\n}\n",
		"limits": "keepalive_requests 100;\nkeepalive_timeout 0;\n"}, "1.30.0")
	if want := "keepalive_requests 100000;\nkeepalive_timeout 75s;\n"; got["limits"] != want {
		t.Errorf("%q", got["limits"])
	}
}
