package fix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// edit is an edit of the first occurrence of a text.
func edit(kind lint.EditKind, data, what, text string) lint.Edit {
	at := strings.Index(data, what)
	return lint.Edit{Kind: kind, File: "f", From: at, To: at + len(what), Text: text, Key: what + text}
}

// Edits keep the layout of the lines around them.
func TestLayout(t *testing.T) {
	for name, c := range map[string]struct {
		kind             lint.EditKind
		data, what, text string
		want             string
	}{
		"replace":                         {lint.Replace, "a;\n  b 1; # why\n", "b 1;", "b 2;", "a;\n  b 2; # why\n"},
		"delete a line":                   {lint.Delete, "a;\n  b;\nc;\n", "b;", "", "a;\nc;\n"},
		"delete beside others":            {lint.Delete, "a; b; c;\n", "b;", "", "a;  c;\n"},
		"delete beside a comment":         {lint.Delete, "a;\nb; # c\n", "b;", "", "a;\n # c\n"},
		"behind a line":                   {lint.After, "  a;\n  b;\n", "a;", "x;", "  a;\n  x;\n  b;\n"},
		"behind a comment":                {lint.After, "  a; # why\n", "a;", "x;", "  a; # why\n  x;\n"},
		"behind one of several":           {lint.After, "a; b;\n", "a;", "x;", "a;\nx; b;\n"},
		"at the end of a file":            {lint.After, "\ta;", "a;", "x;", "\ta;\n\tx;"},
		"inside, as deep as the others":   {lint.Inside, "h {\n\ta;\n}\n", "h {", "x;", "h {\n\tx;\n\ta;\n}\n"},
		"inside an empty block":           {lint.Inside, "  h {\n  }\n", "h {", "x;", "  h {\n      x;\n  }\n"},
		"inside a block on one line":      {lint.Inside, "h { a; }\n", "h {", "x;", "h {\n    x; a; }\n"},
		"before a block":                  {lint.Before, "  s {\n  }\n", "s {", "u {}", "  u {}\n  s {\n  }\n"},
		"before, with something before":   {lint.Before, "h { s {} }", "s {", "u {}", "h { u {} s {} }"},
		"the ends of lines that are CRLF": {lint.After, "a;\r\nb;\r\n", "a;", "x;", "a;\r\nx;\r\nb;\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, n := apply(map[string][]byte{"f": []byte(c.data)}, [][]lint.Edit{{edit(c.kind, c.data, c.what, c.text)}})
			if string(got["f"]) != c.want || n != 1 {
				t.Errorf("%q, want %q", got["f"], c.want)
			}
		})
	}
}

// Of two findings that change the same text the later one waits, with all of its edits.
func TestAFindingIsAppliedWholeOrNotAtAll(t *testing.T) {
	data := "a 1;\nb 1;\n"
	got, n := apply(map[string][]byte{"f": []byte(data)}, [][]lint.Edit{
		{edit(lint.Replace, data, "a 1;", "a 2;")},
		{edit(lint.Replace, data, "b 1;", "b 2;"), edit(lint.Replace, data, "1;", "3;")},
	})
	if string(got["f"]) != "a 2;\nb 1;\n" || n != 1 {
		t.Errorf("%q %d", got["f"], n)
	}
}

func TestOneKeyIsSetOnce(t *testing.T) {
	data := "h {\n}\n"
	one, two := edit(lint.Inside, data, "h {", "k 1;"), edit(lint.Inside, data, "h {", "k 2;")
	one.Key, two.Key = "h k", "h k"
	if got, _ := apply(map[string][]byte{"f": []byte(data)}, [][]lint.Edit{{one}, {two}}); string(got["f"]) != "h {\n    k 1;\n}\n" {
		t.Errorf("%q", got["f"])
	}
}

// Fixes that undo each other end with an error, and with nothing changed.
func TestFixesThatContradictEachOther(t *testing.T) {
	text := "a;\n"
	_, err := Run(func(changed map[string][]byte) (lint.Report, error) {
		data := text
		for _, d := range changed {
			data = string(d)
		}
		other := "b;"
		if data == "b;\n" {
			other = "a;"
		}
		f := lint.Finding{Edits: []lint.Edit{{Kind: lint.Replace, File: "f", From: 0, To: 2, Text: other, Key: other}}}
		return lint.Report{Data: map[string][]byte{"f": []byte(data)}, Findings: []lint.Finding{f}}, nil
	})
	if err == nil || !strings.Contains(err.Error(), "contradict each other") {
		t.Error(err)
	}
}

// written makes a result for files of a directory.
func written(t *testing.T, dir string, names ...string) *Result {
	t.Helper()
	r := &Result{Before: lint.Report{Root: dir}}
	for _, name := range names {
		path := filepath.Join(dir, name)
		real, err := filepath.EvalSymlinks(path)
		labtest.Check(t, err)
		r.Files = append(r.Files, File{Name: path, Real: real, Old: []byte("old\n"), New: []byte("new\n")})
	}
	return r
}

func put(t *testing.T, path, text string) string {
	t.Helper()
	labtest.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	labtest.Check(t, os.WriteFile(path, []byte(text), 0o640))
	return path
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	labtest.Check(t, err)
	return string(b)
}

func TestFilesAreReplacedWithABackup(t *testing.T) {
	dir := t.TempDir()
	name := put(t, filepath.Join(dir, "a.conf"), "old\n")
	for n, backup := range []string{".a.conf.before-lint", ".a.conf.before-lint-2"} {
		out, err := written(t, dir, "a.conf").Write()
		if err != nil || len(out) != 1 || out[0].Backup != filepath.Join(dir, backup) {
			t.Fatalf("%v %+v", err, out)
		}
		if text(t, name) != "new\n" || text(t, out[0].Backup) != "old\n" {
			t.Errorf("round %d: %q, backup %q", n, text(t, name), text(t, out[0].Backup))
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%v %v", err, info.Mode())
		}
		put(t, name, "old\n")
	}
}

func TestPlacesWhereFixesArentWritten(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	faults.Try("a file to fix is a link that leaves the configuration's directory", func(t *testing.T) {
		dir, away := t.TempDir(), t.TempDir()
		put(t, filepath.Join(away, "a.conf"), "old\n")
		labtest.Check(t, os.Symlink(filepath.Join(away, "a.conf"), filepath.Join(dir, "a.conf")))
		if err := written(t, dir, "a.conf").Refusal(); err == nil || !strings.Contains(err.Error(), "lies outside of") {
			t.Error(err)
		}
	})
	faults.Try("a file to fix is a link inside the configuration's directory: its target is changed, the link stays",
		func(t *testing.T) {
			dir := t.TempDir()
			target := put(t, filepath.Join(dir, "sites-available/a"), "old\n")
			labtest.Check(t, os.Mkdir(filepath.Join(dir, "sites-enabled"), 0o755))
			link := filepath.Join(dir, "sites-enabled/a")
			labtest.Check(t, os.Symlink("../sites-available/a", link))
			r := written(t, dir, "sites-enabled/a")
			labtest.Check(t, r.Refusal())
			if _, err := r.Write(); err != nil || text(t, target) != "new\n" {
				t.Errorf("%v %q", err, text(t, target))
			}
			if to, err := os.Readlink(link); err != nil || to != "../sites-available/a" {
				t.Errorf("%v %q", err, to)
			}
		})
	faults.Try("another program changes a file between reading and fixing", changedMeanwhile)
	faults.Try("one of two files to fix is gone: neither is changed", oneIsGone)
	faults.Try("a file to fix is generated by a controller", func(t *testing.T) {
		r := &Result{Before: lint.Report{Root: ".", Generated: map[string]facts.Text{"a": facts.Verbatim("ingress-nginx")},
			Findings: []lint.Finding{{File: "a", Fix: "x"}}}}
		if err := r.Refusal(); err == nil || !strings.Contains(err.Error(), "written by ingress-nginx") {
			t.Error(err)
		}
	})
}

func changedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	name := put(t, filepath.Join(dir, "a.conf"), "theirs\n")
	_, err := written(t, dir, "a.conf").Write()
	if err == nil || !strings.Contains(err.Error(), "another program changed it") || text(t, name) != "theirs\n" {
		t.Errorf("%v %q", err, text(t, name))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func oneIsGone(t *testing.T) {
	dir := t.TempDir()
	name := put(t, filepath.Join(dir, "a.conf"), "old\n")
	put(t, filepath.Join(dir, "b.conf"), "old\n")
	r := written(t, dir, "a.conf", "b.conf")
	labtest.Check(t, os.Remove(filepath.Join(dir, "b.conf")))
	if _, err := r.Write(); err == nil || text(t, name) != "old\n" {
		t.Errorf("%v %q", err, text(t, name))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPatch(t *testing.T) {
	r := &Result{Files: []File{{Name: "a.conf", Old: []byte("a\nb\n"), New: []byte("a\nc\n")}}}
	var b strings.Builder
	if err := r.Patch(&b); err != nil || b.String() != "--- a.conf\n+++ a.conf\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n" {
		t.Errorf("%v %q", err, b.String())
	}
}
