package texts

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/facts"
)

var verb = regexp.MustCompile(`%(?:\[(\d+)\])?[-+.\d]*[a-z]`)

// verbs are the arguments that a text shows, sorted: a translation may order them in another way.
func verbs(text string) []string {
	var out []string
	for i, m := range verb.FindAllStringSubmatch(strings.ReplaceAll(text, "%%", ""), -1) {
		at := m[1]
		if at == "" {
			at = string(rune('1' + i))
		}
		out = append(out, at+m[0][len(m[0])-1:])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestEveryTextIsInBothLanguagesWithTheSameArguments(t *testing.T) {
	for _, name := range names(t) {
		for key, e := range topic(name) {
			if e.En == "" || e.Zh == "" && key != "sentences" {
				t.Errorf("%s.%s has a language without words", name, key)
			}
			for _, other := range []string{e.Zh, e.One} {
				if other != "" && !slices.Equal(verbs(e.En), verbs(other)) {
					t.Errorf("%s.%s: %q and %q show different arguments", name, key, e.En, other)
				}
			}
		}
	}
}

// A key stands in the sources in full, so that a search finds it; a text without a user is deleted.
func TestEveryKeyOfTheSourcesIsInTheCatalogueAndEveryTextIsUsed(t *testing.T) {
	known := map[string]bool{}
	for _, name := range names(t) {
		for key := range topic(name) {
			known[name+"."+key] = true
		}
	}
	used := map[string]bool{}
	key := regexp.MustCompile(`"([a-z0-9]+\.[a-z0-9-]+)"`)
	call := regexp.MustCompile(`\b(?:T|facts\.Join|a\.print|a\.say|a\.tell)\("([^"]*)"`)
	sources(t, func(path, source string) {
		for _, m := range key.FindAllStringSubmatch(source, -1) {
			used[m[1]] = true
		}
		for _, m := range call.FindAllStringSubmatch(source, -1) {
			if m[1] != "" && !known[m[1]] {
				t.Errorf("%s: the catalogue has no %s", path, m[1])
			}
		}
	})
	for k := range known {
		if !used[k] && !strings.HasPrefix(k, "join.") {
			t.Errorf("nothing uses %s", k)
		}
	}
}

func sources(t *testing.T, each func(path, source string)) {
	t.Helper()
	for _, top := range []string{"../..", "../../../cmd", "../../../tools"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || filepath.Ext(path) != ".go" &&
				filepath.Ext(path) != ".toml" || strings.Contains(path, "/texts/data/") {
				return err
			}
			b, err := os.ReadFile(path)
			each(path, string(b))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func names(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(data, "data/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no catalogue: %v", err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".toml")
	}
	return files
}

func TestATextSurvivesJSONAndIsShownInBothLanguages(t *testing.T) {
	text := facts.Join("join.semicolon", facts.Verbatim("a"), facts.Join("join.and", facts.Verbatim("b"), facts.Verbatim("c")))
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var back facts.Text
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if en, zh := English.In(back), Chinese.In(back); en != "a; b and c" || zh != "a；b 和 c" {
		t.Errorf("%s: %q, %q", b, en, zh)
	}
	if b, _ := json.Marshal(Sentence(text)); string(b) != `"a; b and c"` {
		t.Errorf("%s", b)
	}
	if got := English.In(facts.T("later.version", "7")); got != "later.version7" {
		t.Error(got)
	}
}
