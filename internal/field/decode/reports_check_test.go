package decode

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
		rows[r.row] = true
		if len(r.texts) < 2 {
			t.Errorf("row %s has %d texts; two differently worded ones are needed", r.row, len(r.texts))
		}
		for _, text := range r.texts {
			groups := decoded(t, text)
			if len(groups) != 1 || groups[0].Count != 1 {
				t.Errorf("row %s: %d findings for one text: %.120q %v", r.row, len(groups), text, names(groups))
				continue
			}
			g := groups[0]
			if name(g) != r.id || g.Kind != r.kind {
				t.Errorf("row %s: %s %s, want %s %s: %.160q\n%+v", r.row, name(g), g.Kind, r.id, r.kind, text, g.Facts)
			}
		}
		s := signature(t, r.id)
		if !slices.Contains(s.Links, r.where) {
			t.Errorf("row %s: %s has no link to %s", r.row, r.id, r.where)
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
		if _, ok := rules[s.Kind]; !ok {
			t.Errorf("%s: no rule for kind %q", s.ID, s.Kind)
		}
		if len(s.All)+len(s.Any) == 0 || s.Library == "" || s.Example == "" {
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
