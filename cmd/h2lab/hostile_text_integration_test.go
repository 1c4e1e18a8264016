//go:build integration

package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/plan"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/translations"
)

// hostile maps the purpose of an attack to its text, which reports must show as text.
var hostile = map[string]string{
	"a page of another site (meta refresh)": `<meta http-equiv="refresh" content="0;url=https://example.invalid/"> x`,
	"a script element":                      `</script><script>alert(1)</script> x`,
	"a handler in an element":               `"><img src=x onerror=alert(1)><svg onload='alert(1)'> x`,
	"a link that runs a script": `[x](javascript:alert(1)) <javascript:alert(1)> ` +
		`![x](data:text/html,x) <https://example.invalid>`,
	"the end of a table's cell and of a line": "a | b\n|:--|\n\n# heading\n\n- item\n1. item\n\n> " +
		"quote\n\n<picture>\n\n<b>",
	"the end of a code span":          "a ` b `` c ``` <b>d</b> \\` e `<i>` `` ``<u>`` \\| <s>f</s> \\\\| <s>g",
	"the end of a code block":         "```\n<b>x</b>\n````\n~~~\n</pre></code></details></summary>",
	"a code span over two paragraphs": "`x\n\n<b>y</b>` z",
	"terminal controls":               "\x1b]0;title\a\x1b[2J\x1b[31m \u009b31m over\rwritten\b\b\x00\x7f x",
	"text that runs from right to left": "\u202etxt.exe\u202c \u2066x\u2069 zero\u200b\ufeff\u00ad \U000E0041 " +
		"\u3164",
	"a template and an entity": `{{.Run}} ${x} %s %d %!v &lt;b&gt; &#60;b&#62; <!-- x --> ` +
		`<![CDATA[x]]> <?x?>`,
	"a very long word": strings.Repeat("W", 5000),
	"very many words":  strings.Repeat("ab <b> ", 700),
}

// TestHostileTextsStayText puts each text into every field that accepts it, draws every report, and
// compares the result with that for a harmless word.
func TestHostileTextsStayText(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	plain := map[string]*drawing{}
	for _, command := range []string{plan.Repro, plan.Clients, plan.Story} {
		plain[command] = drawnOf(t, command, "word")
	}
	for _, what := range slices.Sorted(maps.Keys(hostile)) {
		f.Try("every text of results.json holds "+what, func(t *testing.T) {
			for command, want := range plain {
				want.compare(t, drawnOf(t, command, hostile[what]))
			}
		})
	}
}

// drawing is the reports of one run.
type drawing struct {
	dir      string
	html, md map[string][]string // elements with the names of their attributes, in their order
	links    map[string]bool
	svg      map[string]bool
}

// drawnOf draws a run in which every field that accepts a text contains it.
func drawnOf(t *testing.T, command, word string) *drawing {
	t.Helper()
	doc := hostileDocument(t, everyField(command))
	taken := 0
	for _, l := range leaves("", doc, nil) {
		if l.value == "word" || textOf(l) && strings.Contains(l.at, "/summary/") {
			l.set(word)
			taken++
		}
	}
	if taken < 40 {
		t.Fatalf("only %d fields hold %.60q: what is tried here?", taken, word)
	}
	dir := runOf(t, doc, word)
	if _, err := rundir.Draw(dir); err != nil {
		t.Fatal(err)
	}
	return examined(t, dir, command, word)
}

func examined(t *testing.T, dir, command, word string) *drawing {
	t.Helper()
	d := &drawing{dir, map[string][]string{}, map[string][]string{}, map[string]bool{}, map[string]bool{}}
	for _, path := range globs(t, dir, "*.html", "*.md", "charts/*.svg", "*.json") {
		b := []byte(labtest.Read(t, path))
		name := filepath.Base(path)
		switch filepath.Ext(path) {
		case ".html":
			d.html[name] = d.elements(t, b)
		case ".md":
			d.md[name] = d.elements(t, asGitHub(t, b))
			printable(t, name, b)
		case ".svg":
			d.pictured(t, name, b)
			printable(t, name, b)
		case ".json":
			if !json.Valid(b) {
				t.Errorf("%s is no JSON", name)
			}
		}
	}
	run, err := rundir.Read(dir)
	labtest.Check(t, err)
	printable(t, "the short report", []byte(run.Short(word, translations.English, false)))
	return d
}

func globs(t *testing.T, dir string, patterns ...string) (out []string) {
	t.Helper()
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil || len(found) == 0 {
			t.Fatalf("nothing was drawn as %s (%v)", p, err)
		}
		out = append(out, found...)
	}
	return out
}

// asGitHub renders Markdown and keeps raw HTML: the reports must escape HTML themselves.
func asGitHub(t *testing.T, md []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	g := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(ghtml.WithUnsafe()))
	labtest.Check(t, g.Convert(md, &out))
	return out.Bytes()
}

// elements returns the elements of a page; the data that a page embeds must be JSON.
func (d *drawing) elements(t *testing.T, page []byte) (out []string) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	labtest.Check(t, err)
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			out = append(out, "comment")
		}
		if n.Type != html.ElementNode {
			continue
		}
		tag, data := n.Data, false
		for _, a := range n.Attr {
			tag += " " + a.Key
			data = data || a.Key == "type" && a.Val == "application/json"
			if a.Key == "href" || a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/svg+xml;base64,") {
				d.links[a.Val] = true
			}
		}
		if data && !json.Valid([]byte(n.FirstChild.Data)) {
			t.Error("a page carries data that is no JSON")
		}
		out = append(out, tag)
	}
	return out
}

// pictured parses a chart with a strict XML parser.
func (d *drawing) pictured(t *testing.T, name string, b []byte) {
	t.Helper()
	x := xml.NewDecoder(bytes.NewReader(b))
	for {
		token, err := x.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s is no XML: %v", name, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			tag := name + " " + e.Name.Local
			for _, a := range e.Attr {
				tag += " " + a.Name.Local
			}
			d.svg[tag] = true
		}
	}
}

// compare compares a hostile drawing with one of harmless words.
func (d *drawing) compare(t *testing.T, got *drawing) {
	t.Helper()
	for _, side := range []struct{ want, got map[string][]string }{{d.html, got.html}, {d.md, got.md}} {
		for name, want := range side.want {
			if diff := cmp.Diff(want, side.got[name]); diff != "" {
				t.Errorf("%s has other elements:\n%.1500s", name, diff)
			}
		}
	}
	for link := range got.links {
		if !d.links[link] {
			t.Errorf("a link to %.100q", link)
		}
	}
	for tag := range got.svg {
		if !d.svg[tag] {
			t.Errorf("a chart has an element of its own: %s", tag)
		}
	}
}
