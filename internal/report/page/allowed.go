package page

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	xhtml "golang.org/x/net/html"
)

// allowed renders the HTML in the text. Reports write a few elements into their Markdown; any other
// element is quoted text and is escaped.
type allowed struct {
	read func(name string) ([]byte, error)
}

// RegisterFuncs implements renderer.NodeRenderer.
func (a *allowed) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, a.block)
	r.Register(ast.KindRawHTML, a.inline)
}

func (a *allowed) block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	b := n.(*ast.HTMLBlock)
	raw := string(b.Lines().Value(source))
	if b.HasClosure() {
		raw += string(b.ClosureLine.Value(source))
	}
	if strings.HasPrefix(strings.TrimSpace(raw), "<picture>") {
		return ast.WalkContinue, a.picture(w, raw)
	}
	return ast.WalkContinue, write(w, raw)
}

func (a *allowed) inline(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	return ast.WalkSkipChildren, write(w, string(n.(*ast.RawHTML).Segments.Value(source)))
}

var (
	elements = []string{"br", "code", "details", "summary", "sup"}
	anchor   = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)
)

// write passes on the elements that reports use, without attributes except an anchor's id, and
// escapes everything else.
func write(w io.Writer, raw string) error {
	tokens := xhtml.NewTokenizer(strings.NewReader(raw))
	for {
		kind := tokens.Next()
		if kind == xhtml.ErrorToken {
			return nil // io.EOF: a string's reader has no other error
		}
		piece := string(tokens.Raw())
		if _, err := io.WriteString(w, shown(kind, tokens.Token(), piece)); err != nil {
			return err
		}
	}
}

func shown(kind xhtml.TokenType, t xhtml.Token, raw string) string {
	switch kind {
	case xhtml.TextToken:
		return html.EscapeString(html.UnescapeString(raw))
	case xhtml.CommentToken:
		return ""
	case xhtml.EndTagToken:
		if slices.Contains(elements, t.Data) || t.Data == "a" {
			return "</" + t.Data + ">"
		}
	case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
		if slices.Contains(elements, t.Data) && len(t.Attr) == 0 {
			return "<" + t.Data + ">"
		}
		if t.Data == "a" && len(t.Attr) == 1 && t.Attr[0].Key == "id" && anchor.MatchString(t.Attr[0].Val) {
			return `<a id="` + t.Attr[0].Val + `">`
		}
	}
	return html.EscapeString(raw)
}

// drawing matches a chart as reports write it: one for dark pages, one for light ones.
var drawing = regexp.MustCompile(`^\s*<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">` +
	`\s*<img alt="([^"<>]*)" src="([^"]+)" width="800">\s*</picture>\s*$`)

// picture writes both charts into the page; its theme chooses between them.
func (a *allowed) picture(w io.Writer, raw string) error {
	m := drawing.FindStringSubmatch(raw)
	if m == nil {
		return fmt.Errorf("a picture that isn't written as the report's are: %.80q", raw)
	}
	alt := html.EscapeString(html.UnescapeString(m[2]))
	var b strings.Builder
	b.WriteString(`<figure class="chart">`)
	for _, v := range [...]struct{ theme, name string }{{"light", m[3]}, {"dark", m[1]}} {
		uri, err := embedded(html.UnescapeString(v.name), a.read)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, `<img class="%s" alt="%s" src="%s">`, v.theme, alt, uri)
	}
	b.WriteString("</figure>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
