package labtest

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Documents returns a run's files as a reader parses them from JSON.
func Documents(t testing.TB, r *facts.Result, j facts.Judgement) map[string]any {
	t.Helper()
	out := map[string]any{}
	for name, file := range map[string]any{"results.json": r, "verdicts.json": j} {
		data, err := json.Marshal(file)
		Check(t, err)
		var doc any
		Check(t, json.Unmarshal(data, &doc))
		out[name] = doc
	}
	return out
}

// CheckVerdict checks what every verdict must have: texts, and evidence whose pointers lead to its values.
func CheckVerdict(t testing.TB, name string, v *facts.Verdict, documents map[string]any) {
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
		file, pointer, _ := strings.Cut(e.Pointer, "#")
		if got := follow(t, documents[file], pointer); !reflect.DeepEqual(got, e.Value) {
			t.Errorf("%s: %s has %v at %s, where the file has %v", name, v.ID, e.Value, e.Pointer, got)
		}
	}
}

// follow resolves a JSON pointer independently of the rules' own lookup.
func follow(t testing.TB, doc any, pointer string) any {
	t.Helper()
	for _, step := range strings.Split(pointer, "/")[1:] {
		object, _ := doc.(map[string]any)
		array, _ := doc.([]any)
		if v, ok := object[step]; ok {
			doc = v
		} else if i, err := strconv.Atoi(step); err == nil && i < len(array) {
			doc = array[i]
		} else {
			t.Fatalf("%s leads nowhere at %q", pointer, step)
		}
	}
	return doc
}

// SameVerdicts compares a run's verdicts in both languages: the same numbers, and no English sentence in the Chinese ones.
func SameVerdicts(t testing.TB, name string, verdicts []facts.Verdict) {
	t.Helper()
	for _, v := range verdicts {
		SameFigures(t, name+" "+v.ID, Said(texts.English, v), Said(texts.Chinese, v))
	}
}

// Said are all sentences of a verdict, one a line.
func Said(l texts.Language, v facts.Verdict) string {
	lines := []string{l.In(v.Title), l.In(v.Expected), l.In(v.Actual), l.In(v.Hint)}
	for _, w := range v.Warnings {
		lines = append(lines, l.In(w))
	}
	return strings.Join(lines, "\n")
}

var (
	figure = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)
	// untranslated matches quoted output of programs and recorded sentences of an unknown form.
	untranslated = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|（原文）.*|make repro LIMIT=100|`[^`]*`")
	words        = regexp.MustCompile(`[A-Za-z'-]{2,}(?: [A-Za-z'-]+){2,}`)
)

// SameFigures compares a text in both languages: the same numbers, and no English sentence in the Chinese one.
func SameFigures(t testing.TB, name, english, chinese string) {
	t.Helper()
	want, got := figure.FindAllString(english, -1), figure.FindAllString(chinese, -1)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("%s: figures %q in English, %q in Chinese:\n%s\n%s", name, want, got, english, chinese)
	}
	if m := words.FindString(untranslated.ReplaceAllString(chinese, "")); m != "" || strings.Contains(chinese, "%!") {
		t.Errorf("%s: %q is left in\n%s", name, m, chinese)
	}
}
