package labtest

import (
	"bytes"
	"encoding/json"
	"html"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"golang.org/x/tools/txtar"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

var (
	figure = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)
	// untranslated matches what isn't translated: code, markup, sources, output of programs, and recorded sentences of an
	// unknown form.
	untranslated = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|<[^>]+>|(?m)^  - 出处：.*$|（原文）[^\n|]*|" +
		"\"(?:[^\"\\\\]|\\\\.)*\"|Java and the JVM|C and C\\+\\+")
)

// SameFigures compares a text in both languages: the same numbers, and no English sentence in the Chinese one.
func SameFigures(t testing.TB, name, english, chinese string) {
	t.Helper()
	want, got := figure.FindAllString(english, -1), figure.FindAllString(chinese, -1)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: the numbers of %.30q differ (-English +Chinese):\n%s", name, chinese, diff)
	}
	for line := range strings.Lines(untranslated.ReplaceAllString(chinese, " ¦ ")) {
		if m := English(strings.TrimSpace(line)); m != "" || strings.Contains(line, "%!") {
			t.Errorf("%s: %q in %s", name, m, line)
		}
	}
}

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
		SameFigures(t, name, en[i], zh[i])
	}
	if places := Misset(chinese); places != nil {
		t.Errorf("%s: spaces or punctuation at %q", name, places)
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(chinese, -1) {
		if !strings.Contains(chinese, `<a id="`+m[1]+`"></a>`) {
			t.Errorf("%s: nothing is at #%s", name, m[1])
		}
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

// GoldenPart compares a text with a part of testdata/NAME.txtar, or accepts it.
func GoldenPart(t testing.TB, name, part, got string, update bool) {
	t.Helper()
	path, all := filepath.Join("testdata", name+".txtar"), &txtar.Archive{}
	if b, err := os.ReadFile(path); err == nil {
		all = txtar.Parse(b)
	}
	i := slices.IndexFunc(all.Files, func(f txtar.File) bool { return f.Name == part })
	if i < 0 {
		i, all.Files = len(all.Files), append(all.Files, txtar.File{Name: part})
	}
	if update {
		all.Files[i].Data = []byte(got)
		Golden(t, name+".txtar", txtar.Format(all), true)
	} else if diff := cmp.Diff(string(all.Files[i].Data), got); diff != "" {
		t.Errorf("%s: %s differs (-want +got); -update accepts it:\n%s", path, part, diff)
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

// chartText matches a text of a chart: a title, a description for screen readers, or a written one.
var chartText = regexp.MustCompile(`<(?:title|desc|text)\b[^>]*>([^<]*)</`)

// ChartTexts returns every text of a chart.
func ChartTexts(svg []byte) (out []string) {
	for _, m := range chartText.FindAllSubmatch(svg, -1) {
		if words := html.UnescapeString(string(m[1])); strings.TrimSpace(words) != "" {
			out = append(out, words)
		}
	}
	return out
}

// SameCharts compares the charts of a page in both languages: each is there in both, in both themes, under another name,
// with the same numbers, and a Chinese one without an English sentence. files are those that a page in either language is
// built with.
func SameCharts(t testing.TB, name string, english, chinese map[string][]byte) {
	t.Helper()
	n := 0
	for file := range chinese {
		if strings.HasPrefix(file, "charts/") {
			n++
		}
	}
	for file, drawn := range english {
		if !strings.HasPrefix(file, "charts/") {
			continue
		}
		n--
		there := strings.NewReplacer("-light.svg", ".zh-light.svg", "-dark.svg", ".zh-dark.svg").Replace(file)
		other := chinese[there]
		if other == nil || chinese[file] != nil || bytes.Equal(drawn, other) {
			t.Errorf("%s: %s isn't drawn in Chinese as %s", name, file, there)
			continue
		}
		SameFigures(t, name+" "+there, wholeTexts(drawn), wholeTexts(other))
	}
	if n != 0 {
		t.Errorf("%s: %+d charts in Chinese", name, n)
	}
}

// wholeTexts are a chart's texts, one a line; one that was shortened has lost some of its numbers.
func wholeTexts(svg []byte) string {
	return strings.Join(slices.DeleteFunc(ChartTexts(svg), func(s string) bool {
		return strings.HasSuffix(strings.TrimSpace(s), "…")
	}), "\n")
}

// Documents returns a run's files, as JSON.
func Documents(t testing.TB, r *facts.Result, j facts.Judgement) map[string][]byte {
	t.Helper()
	run, err := json.Marshal(r)
	Check(t, err)
	verdicts, err := json.Marshal(j)
	Check(t, err)
	return map[string][]byte{"results.json": run, "verdicts.json": verdicts}
}

// CheckVerdict checks what every verdict must have: texts, and evidence whose pointers lead to its values.
func CheckVerdict(t testing.TB, name string, v *facts.Verdict, documents map[string][]byte) {
	t.Helper()
	conclusive := v.Status == facts.Reproduced || v.Status == facts.Fixed || v.Status == facts.NotReproduced
	if v.Title.IsZero() || v.Actual.IsZero() || v.Reference.IsZero() || v.Hint.IsZero() ||
		conclusive && (v.Expected.IsZero() || len(v.Evidence) == 0) {
		t.Errorf("%s: %s says too little: %+v", name, v.ID, v)
	}
	if said := Said(texts.English, *v); strings.Contains(said, "%!") || strings.Contains(said, "NaN") ||
		strings.Contains(said, "Inf") {
		t.Errorf("%s: %s is badly written: %s", name, v.ID, said)
	}
	if v.Evidence == nil || v.Warnings == nil {
		t.Errorf("%s: %s has a null where the file has an array", name, v.ID)
	}
	for _, e := range v.Evidence {
		file, pointer, _ := strings.Cut(e.Pointer, "#/")
		found := gjson.GetBytes(documents[file], strings.NewReplacer(".", `\.`, "/", ".").Replace(pointer))
		if !found.Exists() || !reflect.DeepEqual(found.Value(), e.Value) {
			t.Errorf("%s: %s has %v at %s, where the file has %v", name, v.ID, e.Value, e.Pointer, found)
		}
	}
}

// SameVerdicts compares a run's verdicts in both languages: the same numbers, and no English sentence in the Chinese ones.
func SameVerdicts(t testing.TB, name string, verdicts []facts.Verdict) {
	t.Helper()
	for _, v := range verdicts {
		SameFigures(t, name+" "+v.ID, Said(texts.English, v), Said(texts.Chinese, v))
	}
}

// Judged is a verdict for a golden file: its status, what was found and what to do, and the warnings.
func Judged(v facts.Verdict) string {
	lines := []string{string(v.Status), texts.English.In(v.Actual), texts.English.In(v.Hint)}
	for _, w := range v.Warnings {
		lines = append(lines, texts.English.In(w))
	}
	return strings.Join(lines, "\n  ") + "\n"
}

// Said are all sentences of a verdict, one a line.
func Said(l texts.Language, v facts.Verdict) string {
	lines := []string{l.In(v.Title), l.In(v.Expected), l.In(v.Actual), l.In(v.Hint)}
	for _, w := range v.Warnings {
		lines = append(lines, l.In(w))
	}
	return strings.Join(lines, "\n")
}

// Variants compares the configurations of all fronts of a kind, the files of a pattern, with testdata/template, without
// their comments. {front}, {counters} and {upstream} stand for ports there, {name}, {limit} and {call} for the server, its
// limit and the server behind it; a line that begins with a word and ?, as {limited?}, is only in the files of such fronts.
func Variants(t testing.TB, pattern string, kind facts.Kind, topologies []facts.Topology) {
	t.Helper()
	all, _ := filepath.Glob(pattern)
	files := map[string]bool{}
	for _, topology := range topologies {
		s := topology.Front()
		if s.Kind != kind {
			continue
		}
		name, next := filepath.Base(s.Config), topology.Servers[1]
		files[name] = true
		is := map[string]bool{"old": s.MinVersion == "", "new": s.MinVersion != "", "limited": topology.Limit > 0,
			"direct": next.Kind == facts.Backend, "chained": next.Kind != facts.Backend}
		port := func(address string) string { return address[strings.LastIndex(address, ":")+1:] }
		values := strings.NewReplacer("{name}", s.Name, "{front}", port(s.Front), "{counters}", port(s.Counters),
			"{upstream}", port(next.Front), "{call}", next.Name, "{limit}", strconv.Itoa(topology.Limit))
		want := ""
		for line := range strings.Lines(Read(t, "testdata/template"+filepath.Ext(name))) {
			word, rest, conditional := strings.Cut(strings.TrimPrefix(line, "{"), "?}")
			if !conditional {
				want += values.Replace(line)
			} else if is[word] {
				want += values.Replace(rest)
			}
		}
		got, marked := "", 0
		for line := range strings.Lines(Read(t, name)) {
			line = strings.TrimSpace("|" + line)[1:]
			if strings.HasSuffix(line, " # the limit") { // LIMIT=n changes this line
				marked++
			}
			if line = strings.TrimRight(remark.ReplaceAllString(line, ""), " "); line != "" {
				got += line + "\n"
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || (marked == 1) != is["limited"] {
			t.Errorf("%s differs from the template, or marks its limit %d times (-template +file):\n%s", name, marked, diff)
		}
	}
	if len(files) != len(all) || len(all) == 0 {
		t.Errorf("%d files match %s, fronts have %v", len(all), pattern, files)
	}
}

// remark matches a comment of a configuration.
var remark = regexp.MustCompile(`(^|\s)#.*$`)
