package decode

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// decoded runs a text through the whole decoder, as pasted by a user.
func decoded(t *testing.T, text string) []*Group {
	t.Helper()
	return tallied(t, text).Groups()
}

// tallied is the decoder's count of a text.
func tallied(t *testing.T, text string) *Tally {
	t.Helper()
	var tally Tally
	if err := Read(t.Context(), "test", strings.NewReader(text), &tally); err != nil {
		t.Fatal(err)
	}
	return &tally
}

// areQuiet checks that texts are taken for no failure.
func areQuiet(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if groups := decoded(t, text); len(groups) > 0 && groups[0].Kind != Unrelated {
			t.Errorf("%s\n  is taken for %v", text, names(groups))
		}
	}
}

func name(g *Group) string {
	if g.Signature == nil {
		return "-"
	}
	return g.Signature.ID
}

func TestEveryPublicReportIsRecognised(t *testing.T) {
	rows := map[string]bool{}
	for _, r := range publicReports {
		rows[r.Row] = true
		if len(r.Texts) < 2 {
			t.Errorf("row %s has %d texts; two differently worded ones are needed", r.Row, len(r.Texts))
		}
		for _, text := range r.Texts {
			groups := decoded(t, text)
			if len(groups) != 1 || groups[0].Count != 1 {
				t.Errorf("row %s: %d findings for one text: %.120q %v", r.Row, len(groups), text, names(groups))
				continue
			}
			g := groups[0]
			if name(g) != r.ID || g.Kind != r.Kind {
				t.Errorf("row %s: %s %s, want %s %s: %.160q\n%+v", r.Row, name(g), g.Kind, r.ID, r.Kind, text, g.Facts)
			}
		}
		s := signature(t, r.ID)
		if !slices.Contains(s.Links, r.Where) {
			t.Errorf("row %s: %s has no link to %s", r.Row, r.ID, r.Where)
		}
	}
	want := []string{"31b", "31c"}
	for n := 1; n <= 37; n++ {
		want = append(want, fmt.Sprint(n))
	}
	for _, row := range want {
		if !rows[row] {
			t.Errorf("no text for row %s", row)
		}
	}
}

func names(groups []*Group) (out []string) {
	for _, g := range groups {
		out = append(out, name(g)+" "+string(g.Kind))
	}
	return out
}

func signature(t *testing.T, id string) Signature {
	t.Helper()
	for _, s := range Known() {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no signature %s", id)
	return Signature{}
}

func TestSignaturesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Known() {
		if seen[s.ID] {
			t.Errorf("two signatures are called %s", s.ID)
		}
		seen[s.ID] = true
		if _, ok := rules()[s.Kind]; !ok {
			t.Errorf("%s: no rule for kind %q", s.ID, s.Kind)
		}
		if len(s.All)+len(s.Any) == 0 || s.Library.IsZero() || s.Example == "" {
			t.Errorf("%s lacks terms, library or example", s.ID)
		}
		for _, w := range slices.Concat(s.All, s.Any, s.None) {
			if w != strings.ToLower(w) || w == "" {
				t.Errorf("%s: the term %q is not lower case", s.ID, w)
			}
		}
		if f := NewDecoder().Text([]byte(s.Example)); f == nil || f.Signature == nil || f.Signature.ID != s.ID {
			t.Errorf("%s is not what its own example is taken for: %q → %+v", s.ID, s.Example, f)
		}
	}
}

// Each text of the data files has its Chinese beside it, with the same numbers.
func TestTheDataAreInBothLanguages(t *testing.T) {
	figures := regexp.MustCompile(`\d+`)
	texts := 0
	var walk func(file string, v any)
	walk = func(file string, v any) {
		switch v := v.(type) {
		case []map[string]any:
			for _, of := range v {
				walk(file, of)
			}
		case map[string]any:
			if en, ok := v["en"].(string); ok {
				texts++
				zh, _ := v["zh"].(string)
				zh = strings.NewReplacer("年 11 月", "年 November", "年 9 月", "年 September").Replace(zh)
				if zh == "" || !slices.Equal(slices.Sorted(slices.Values(figures.FindAllString(en, -1))), slices.Sorted(slices.Values(figures.FindAllString(zh, -1)))) {
					t.Errorf("%s: %q, %q", file, en, zh)
				}
			}
			for _, of := range v {
				walk(file, of)
			}
		}
	}
	files, _ := filepath.Glob("data/*.toml")
	more, _ := filepath.Glob("data/*/*.toml")
	for _, file := range append(files, more...) {
		var v map[string]any
		if _, err := toml.DecodeFile(file, &v); err != nil {
			t.Fatal(err)
		}
		walk(file, v)
	}
	if texts < 250 {
		t.Errorf("only %d texts found", texts)
	}
}
