package markdown

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
)

func TestOurOwnWordsStayAsTheyAre(t *testing.T) {
	for in, want := range map[string]string{
		Escape("Go 1.26.8, 2 × 3 − 1 = 5 (nginx-1000)"): "Go 1.26.8, 2 × 3 − 1 = 5 (nginx-1000)",
		Escape("- no item"):                      `\- no item`,
		Escape("12. no item"):                    `12\. no item`,
		Escape("a  b\n<c> & `d`"):                "a b &lt;c&gt; &amp; \\`d\\`",
		Code("nginx-1000"):                       "`nginx-1000`",
		Code("a|b `c`"):                          "`` a\\|b `c` ``",
		Code(`a\|b`):                             `<code>a\\\|b</code>`,
		Code(" "):                                Dash,
		Block("go", "a\n```\n"):                  "````go\na\n```\n````\n",
		Block("go\n<b>", "a"):                    "```\na\n```\n",
		Prose("use `MaxConnsPerHost: 1` *here*"): "use `MaxConnsPerHost: 1` \\*here\\*",
		Prose("`a` says ``<b>"):                  "`a` says \\`\\`&lt;b&gt;",
		Anchor("a b\"><c"):                       "a-b-c",
	} {
		if in != want {
			t.Errorf("%q, want %q", in, want)
		}
	}
}

// page is a document with s in every place where reports write foreign text.
func page(s string) string {
	var b strings.Builder
	b.WriteString("| head | of a table |\n|:--|:--|\n| " + Escape(s) + " | " + Code(s) + " |\n| " + Code(s) +
		" | x |\n\n")
	b.WriteString("- item " + Escape(s) + " and " + Code(s) + "\n  " + Escape(s) + "\n\n> **" + Escape(s) + "**\n\n")
	b.WriteString("## " + Escape(s) + "\n\n" + Prose(s) + "\n\n" + Block("text", s) + "\n")
	b.WriteString("<details><summary>" + Escape(s) + "</summary>\n\n" + Block("go", s) + "\n</details>\n\nlast words\n")
	return b.String()
}

// elements returns the tags and attributes of Markdown rendered with raw HTML.
func elements(t *testing.T, md string) (out []string, text string) {
	t.Helper()
	var b bytes.Buffer
	g := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(ghtml.WithUnsafe()))
	if err := g.Convert([]byte(md), &b); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	for n := range doc.Descendants() {
		switch n.Type {
		case html.ElementNode:
			tag := n.Data
			for _, a := range n.Attr {
				tag += " " + a.Key
			}
			out = append(out, tag)
		case html.CommentNode:
			out = append(out, "comment")
		case html.TextNode:
			words.WriteString(n.Data)
		}
	}
	return out, words.String()
}

// FuzzMarkdown: whatever the text is, the document has the elements of one with plain text. Code
// spans in prose are the reports' own, so FuzzPage of package page covers backticks there.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"word", "<b>x</b>", "a|b\\|c", "`x` ``y", "\n\n# x\n- y", "[x](javascript:alert(1))",
		"\\", "- x", "1) y", "***", "===",
		"&lt;b&gt;", "\x1b[31m", "\u202e", "~~~", "![x](y)", "<!--", "|", "\\`<i>`", "    code", "[ ] task", "\t",
		"$x$", ":---:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.TrimSpace(Escape(s)) == "" || strings.Count(Prose(s), "`") != strings.Count(Prose(s), "\\`") {
			return // writes nothing, or a code span in prose
		}
		want, _ := elements(t, page("word"))
		got, words := elements(t, page(s))
		if strings.Contains(s, `\|`) || s != strings.TrimSpace(s) {
			want, got = unordered(want), unordered(got)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q has other elements:\n%s\n%s", s, diff, page(s))
		}
		if !strings.HasSuffix(strings.TrimSpace(words), "last words") {
			t.Errorf("%q takes in what follows: %q", s, words)
		}
	})
}

// unordered returns the set of elements, without their number.
func unordered(all []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, e := range all {
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}
