package labtest

import (
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// SameReport compares a report in both languages: sections in the same order with the same numbers, no English sentence
// left in the Chinese one, Chinese punctuation, and links that lead somewhere.
func SameReport(t testing.TB, name, english, chinese string) {
	t.Helper()
	en, zh := strings.Split(html.UnescapeString(english), "\n## "), strings.Split(html.UnescapeString(chinese), "\n## ")
	if len(en) != len(zh) {
		t.Errorf("%s: %d sections in English, %d in Chinese", name, len(en), len(zh))
		return
	}
	for i := range en {
		want, got := figure.FindAllString(en[i], -1), figure.FindAllString(zh[i], -1)
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the numbers of section %.20q differ (-English +Chinese):\n%s", name, zh[i], diff)
		}
	}
	noEnglish(t, name, chinese)
	if places := Misset(chinese); places != nil {
		t.Errorf("%s: spaces or punctuation at %q", name, places)
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(chinese, -1) {
		if !strings.Contains(chinese, `<a id="`+m[1]+`"></a>`) {
			t.Errorf("%s: nothing is at #%s", name, m[1])
		}
	}
}

// quoted is text that isn't translated: code, markup, sources, output of programs, and recorded
// sentences of an unknown form.
var quoted = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|<[^>]+>|(?m)^  - 出处：.*$|（原文）" +
	"[^\n|]*|\"(?:[^\"\\\\]|\\\\.)*\"")

func noEnglish(t testing.TB, name, chinese string) {
	t.Helper()
	for line := range strings.Lines(quoted.ReplaceAllString(chinese, " ¦ ")) {
		if m := words.FindString(line); m != "" {
			t.Errorf("%s: %q in %s", name, m, line)
		}
	}
	if strings.Contains(chinese, "%!") {
		t.Errorf("%s is badly written", name)
	}
}

// SameTexts compares the prose of a package in both languages, text/*.md and text/zh/*.md: its code and its
// placeholders are the same.
func SameTexts(t testing.TB) {
	t.Helper()
	files, _ := filepath.Glob("text/*.md")
	if len(files) == 0 {
		t.Error("no text/*.md")
	}
	for _, file := range files {
		en, zh := Read(t, file), Read(t, filepath.Join("text/zh", filepath.Base(file)))
		for what, pattern := range map[string]*regexp.Regexp{
			"code blocks": regexp.MustCompile("(?s)```.*?```"), "code spans": regexp.MustCompile("`[^`\n]+`"),
			"fields": regexp.MustCompile(`{{[^}]*}}`),
			"links":  regexp.MustCompile(`\]\([^)]*\)`), "numbers": figure, "headings": regexp.MustCompile(`(?m)^#+ `),
			"items": regexp.MustCompile(`(?m)^(?:- |\d\. )`),
		} {
			want, got := pattern.FindAllString(en, -1), pattern.FindAllString(zh, -1)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s differ (-English +Chinese):\n%s", file, what, diff)
			}
		}
	}
}

// WholeTables checks that every row of a report's tables has as many cells as the row above it.
func WholeTables(t testing.TB, name, md string) {
	t.Helper()
	cells, above := 0, -2
	for i, line := range strings.Split(md, "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if above == i-1 && n != cells {
			t.Errorf("%s: line %d has %d bars, the row above it %d: %s", name, i+1, n, cells, line)
		}
		cells, above = n, i
	}
}

// Unmeant are texts that a page has only by mistake: numbers that don't exist, formats without a value.
func Unmeant(t testing.TB, name, text string) {
	t.Helper()
	for _, bad := range []string{"NaN", "Inf", "<nil>", "%!", "0001-01-01", "<no value>", "<script>"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s: %q is on the page", name, bad)
		}
	}
}

// Golden compares a text with testdata/NAME, or accepts it.
func Golden(t testing.TB, name string, got []byte, update bool) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if update {
		Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		Check(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); -update accepts it:\n%s", path, diff)
	}
}

// GoldenPages compares a report's texts with testdata/NAME.txtar. Its charts aren't in there: recorded runs have those.
func GoldenPages(t testing.TB, name string, files map[string][]byte, update bool) {
	t.Helper()
	all := &txtar.Archive{}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(file, "charts/") {
			all.Files = append(all.Files, txtar.File{Name: file, Data: files[file]})
		}
	}
	Golden(t, name+".txtar", txtar.Format(all), update)
}

var colours = regexp.MustCompile("\x1b\\[[0-9]*m")

// FitsTerminal checks the short version of a report: at most 25 lines of 100 characters, and coloured the same text.
func FitsTerminal(t testing.TB, short, coloured string) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(short, "\n"), "\n")
	if len(lines) > 25 {
		t.Errorf("%d lines:\n%s", len(lines), short)
	}
	for _, l := range lines {
		if n := len([]rune(l)); n > 100 {
			t.Errorf("%d characters: %s", n, l)
		}
	}
	if strings.Contains(short, "\x1b") {
		t.Error("colour where none was requested")
	}
	if colours.ReplaceAllString(coloured, "") != short {
		t.Error("colour changes more than the colour")
	}
}
