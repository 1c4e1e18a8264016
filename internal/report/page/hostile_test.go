package page

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"h2lab/internal/base/labtest"
)

// built returns the elements and attributes of a page made of some Markdown, its links, and its
// text.
func built(t *testing.T, md string) (elements map[string]bool, links []string) {
	t.Helper()
	out, err := build(t, func(in *Input) { in.Markdown = []byte(md) })
	if err != nil {
		return nil, nil
	}
	doc, err := html.Parse(strings.NewReader(out))
	labtest.Check(t, err)
	elements = map[string]bool{}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
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
