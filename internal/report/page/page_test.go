package page

import (
	"bytes"
	"errors"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	parsed "golang.org/x/net/html"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
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

// All texts of the page itself are the catalogue's, in the script too.
func TestThePageSaysItsOwnWordsInAnyLanguage(t *testing.T) {
	chinese, err := build(t, func(in *Input) { in.Language = texts.Chinese })
	labtest.Check(t, err)
	if !strings.Contains(chinese, `lang="zh-CN"`) {
		t.Error("the page doesn't say its language")
	}
	said := regexp.MustCompile(`>[^<]*<|="[^"]*"`).FindAllString(chinese, -1)
	for _, key := range []string{"dark", "light", "raw-data", "head-trial", "head-value", "head-evidence", "close", "whole-file"} {
		if zh := texts.Chinese.Say("page." + key); !strings.Contains(chinese, zh) {
			t.Errorf("%s is not in the page", zh)
		}
		for _, m := range said {
			if m = html.UnescapeString(strings.Trim(m, `>=<"`)); m == texts.English.Say("page."+key) {
				t.Errorf("%s is English in a Chinese page", m)
			}
		}
	}
	if m := regexp.MustCompile(`textContent(?: =|:) '[A-Z][a-z]+`).FindString(chinese); m != "" {
		t.Errorf("the script says a word of its own: %s", m)
	}
}

// built returns the elements and attributes of a page made of some Markdown, its links, and its
// text.
func built(t *testing.T, md string) (elements map[string]bool, links []string) {
	t.Helper()
	out, err := build(t, func(in *Input) { in.Markdown = []byte(md) })
	if err != nil {
		return nil, nil
	}
	doc, err := parsed.Parse(strings.NewReader(out))
	labtest.Check(t, err)
	elements = map[string]bool{}
	for n := range doc.Descendants() {
		if n.Type != parsed.ElementNode {
			continue
		}
		tag := n.Data
		for _, a := range n.Attr {
			tag += " " + a.Key
			if a.Key == "href" {
				links = append(links, a.Val)
			}
		}
		elements[tag] = true
	}
	return elements, links
}

// everything is Markdown with each element that a report's page may have.
const everything = sample + `
# One
## Two
### Three
#### Four
##### Five
###### Six

<a id="note-1"></a> text <sup>[1](#note-1)</sup> a<br>b <code>c</code> *d* **e** [f](https://example.org "g") <https://example.org>

![h](i "j") ![k](l)

---

> quote

1. item

3. item

- item

<details><summary>more</summary>

` + "```go\ncode\n```\n\n```\ncode\n```\n\n    code\n\n</details>\n"

var tricks = []string{
	`<meta http-equiv="refresh" content="0;url=https://example.invalid/">`,
	"x <img src=x onerror=alert(1)> y",
	"<script>alert(1)</script>",
	"<a id=\"x\" onclick=\"alert(1)\">y</a>",
	"<a href=\"javascript:alert(1)\">y</a>",
	"<br onclick=alert(1)> <details open ontoggle=alert(1)>",
	"<a id=\"x&quot; onclick=alert(1)\">",
	"<style>@import url(x)</style>",
	"<textarea><b></textarea><svg><a xlink:href=x>",
	"[x](javascript:alert(1)) [y](data:text/html,x) [z](vbscript:x) <javascript:alert(1)>",
	"<![CDATA[<b>]]> <?php <b> ?> <!DOCTYPE html> <!-- <b> -->",
	"<iframe src=x>\n\n<base href=x>\n\n<form action=x>",
	"<PICTURE><img src=x></PICTURE>",
}

func TestHTMLThatOnlyWasQuotedIsText(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	f.Try("a report's text has HTML of every kind in it", func(t *testing.T) {
		known, _ := built(t, everything)
		for _, trick := range tricks {
			got, links := built(t, trick+"\n")
			if got == nil {
				t.Errorf("%q was not drawn", trick)
			}
			onlyKnown(t, trick, known, got, links)
		}
	})
}

func onlyKnown(t *testing.T, md string, known, got map[string]bool, links []string) {
	t.Helper()
	for tag := range got {
		if !known[tag] {
			t.Errorf("%q makes an element <%s>", md, tag)
		}
	}
	for _, l := range links {
		scheme, _, has := strings.Cut(strings.ToLower(l), ":")
		if has && slices.Contains([]string{"javascript", "vbscript", "data", "file"}, strings.TrimSpace(scheme)) {
			t.Errorf("%q makes a link to %q", md, l)
		}
	}
}

// FuzzPage: whatever the Markdown is, the page has no element and no attribute beyond those of a
// report.
func FuzzPage(f *testing.F) {
	for _, trick := range tricks {
		f.Add(trick)
	}
	f.Add(everything)
	f.Add("`a` <b> `c")
	f.Fuzz(func(t *testing.T, md string) {
		if bytes.Contains([]byte(md), []byte("<picture>")) {
			return // is rendered as a report's picture or not at all
		}
		known, _ := built(t, everything)
		got, links := built(t, md)
		onlyKnown(t, md, known, got, links)
	})
}
