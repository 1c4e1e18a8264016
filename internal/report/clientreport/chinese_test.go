package clientreport

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// The recorded run's page is compared as a whole with the English one (cmd/h2lab); these are results that are
// difficult to lay out, with descriptions that nobody translated.
func TestThePageHasTheSameNumbersInChinese(t *testing.T) {
	figure := regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)
	for name, r := range hard() {
		drawn, english := build(t, r)
		files, err := Build(Input{Result: r, Language: translations.Chinese})
		if err != nil {
			t.Fatal(err)
		}
		labtest.SameCharts(t, name, r, drawn, files)
		chinese := string(files["clients.zh.md"])
		want, got := figure.FindAllString(english, -1), figure.FindAllString(chinese, -1)
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the numbers differ (-English +Chinese):\n%s", name, diff)
		}
		if strings.Contains(chinese, "%!") {
			t.Errorf("%s is badly written", name)
		}
		labtest.WholeTables(t, name, outside(chinese))
	}
}

// A description that nobody translated stands on the page as it is.
func TestAnUnknownDescriptionIsShownAsItIs(t *testing.T) {
	r := result(fieldOf()...)
	r.Cells[0].Program.Says = "Zwei Wege"
	files, err := Build(Input{Result: r, Language: translations.Chinese})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(files["clients.zh.md"], []byte("| Zwei Wege |")) {
		t.Error("the description is missing")
	}
}

func TestChineseVerdictsAreThoseOfTheJSON(t *testing.T) {
	english, chinese := newPage(Input{Result: result(fieldOf()...)}), newPage(Input{Result: result(fieldOf()...),
		Language: translations.Chinese})
	for i := range english.rows {
		if e, c := english.rows[i], chinese.rows[i]; e.Verdict != c.Verdict || len(e.Reasons) != len(c.Reasons) ||
			e.Client != facts.Client(c.Client) {
			t.Errorf("%s is %s in English, %s in Chinese", e.Client, e.Verdict, c.Verdict)
		}
	}
}
