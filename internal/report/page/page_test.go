package page

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

const sample = `# A run

| Topology | Protocol | Failed |
|:--|:--|--:|
| **k6** | | |
| ` + "`nginx-1000`" + ` | h1 | 5,800<br>(5,024–6,212) |
| ` + "`nginx-1000`" + ` | h2 | – |

| Where | Message |
|:--|:--|
| here | ` + "`<script>alert(1)</script>`" + ` |

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="charts/a-dark.svg">
  <img alt="Bars &amp; lines" src="charts/a-light.svg" width="800">
</picture>
`

func build(t *testing.T, change func(*Input)) (string, error) {
	t.Helper()
	in := Input{
		Title: "a <run>", Markdown: []byte(sample),
		Read: func(name string) ([]byte, error) { return []byte("<svg>" + name + "</svg>"), nil },
		Raw:  []Raw{{"results.json", []byte(`{"message": "</script><script>alert(2)</script>"}`)}},
		Numbers: []Table{{Heads: []string{"Topology", "Protocol", "Failed"},
			Cells: [][]string{{"", "", "results.json#/cells/0/a"}, {"", "", "results.json#/cells/1/a"}}}},
	}
	if change != nil {
		change(&in)
	}
	out, err := Build(in)
	return string(out), err
}

func TestPageFetchesNothingAndRunsItsOwnScriptAlone(t *testing.T) {
	out, err := build(t, nil)
	labtest.Check(t, err)
	for _, want := range []string{"default-src &#39;none&#39;", "script-src &#39;sha256-",
		"<title>a &lt;run&gt;</title>", `lang="en"`} {
		if !strings.Contains(out, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(out, "<script"); n != 2 {
		t.Errorf("%d script elements, want the data and the page's own: what a report quotes must not become one", n)
	}
	if m := regexp.MustCompile(`(?:src|href)="(?:https?:)?//`).FindString(out); m != "" {
		t.Errorf("the page asks another address: %s", m)
	}
	if strings.Contains(out, " style=") {
		t.Error("a style attribute, which the page's policy forbids")
	}
}

func TestNumbersLeadToTheirRawData(t *testing.T) {
	out, err := build(t, nil)
	labtest.Check(t, err)
	for _, want := range []string{
		`<tr class="group">`,
		`<td align="right" data-raw="results.json#/cells/0/a">5,800`,
		`<td align="right" data-raw="results.json#/cells/1/a">–`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(out, slot+`="`); n != 2 {
		t.Errorf("%d cells lead to raw data, want 2", n)
	}
}

func TestBothChartsOfAPictureAreInThePage(t *testing.T) {
	out, err := build(t, nil)
	labtest.Check(t, err)
	for _, want := range []string{`<img class="light" alt="Bars &amp; lines" src="data:image/svg+xml;base64,`,
		`<img class="dark"`} {
		if !strings.Contains(out, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(out, "<picture") || strings.Contains(out, "charts/") {
		t.Error("a picture is left outside of the page")
	}
}

func TestWhatCanNotBeDrawnIsNamed(t *testing.T) {
	gone := errors.New("a-light.svg is gone")
	if _, err := build(t, func(in *Input) {
		in.Read = func(string) ([]byte, error) {
			return nil,
				gone
		}
	}); !errors.Is(err, gone) {
		t.Errorf("%v, want the missing chart's error", err)
	}
	if _, err := build(t, func(in *Input) { in.Raw[0].JSON = []byte("{") }); err == nil ||
		!strings.Contains(err.Error(), "results.json is not JSON") {
		t.Errorf("%v, want a word about results.json", err)
	}
	if _, err := build(t, func(in *Input) { in.Markdown = []byte("<picture>\nnothing\n</picture>\n") }); err == nil {
		t.Error("a picture without an image was drawn")
	}
}

func TestPageIsTheSameEachTime(t *testing.T) {
	first, _ := build(t, nil)
	for range 5 {
		if again, _ := build(t, nil); again != first {
			t.Fatal("the same input gave another page")
		}
	}
}
