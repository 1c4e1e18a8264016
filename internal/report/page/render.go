package page

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"mime"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// render turns the text into the page's body.
func render(in Input) ([]byte, error) {
	md := goldmark.New(
		// Alignment as an attribute: the page's policy allows no style attributes.
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithASTTransformers(util.Prioritized(&marker{tables: in.Numbers}, 500))),
		// The text's own <picture> and <details>; what it quotes is escaped there.
		goldmark.WithRendererOptions(ghtml.WithUnsafe()),
	)
	var out bytes.Buffer
	if err := md.Convert(in.Markdown, &out); err != nil {
		return nil, err
	}
	return pictures(out.Bytes(), in.Read)
}

// slot is the attribute that leads from a number to its raw data.
const slot = "data-raw"

// marker puts a table's pointers on its cells.
type marker struct{ tables []Table }

// Transform implements parser.ASTTransformer.
func (m *marker) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	source := reader.Source()
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		table, ok := n.(*extast.Table)
		if !ok || !entering || len(m.tables) == 0 {
			return ast.WalkContinue, nil
		}
		if strings.Join(heads(table, source), "|") == strings.Join(m.tables[0].Heads, "|") {
			mark(table, source, m.tables[0].Cells)
			m.tables = m.tables[1:]
		}
		return ast.WalkSkipChildren, nil
	})
}

func heads(table *extast.Table, source []byte) (out []string) {
	for c := table.FirstChild().FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, words(c, source))
	}
	return out
}

// words is the plain text of a node.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// mark gives the cells of each row their pointers. A row with text in its first
// cell alone is a heading between rows, and has none.
func mark(table *extast.Table, source []byte, pointers [][]string) {
	for row := table.FirstChild().NextSibling(); row != nil; row = row.NextSibling() {
		if isHeading(row, source) {
			row.SetAttributeString("class", []byte("group"))
			continue
		}
		if len(pointers) == 0 {
			return
		}
		cell := row.FirstChild()
		for _, p := range pointers[0] {
			if cell == nil {
				break
			}
			if p != "" {
				cell.SetAttributeString(slot, []byte(p))
			}
			cell = cell.NextSibling()
		}
		pointers = pointers[1:]
	}
}

func isHeading(row ast.Node, source []byte) bool {
	first := row.FirstChild()
	if first == nil || words(first, source) == "" {
		return false
	}
	for c := first.NextSibling(); c != nil; c = c.NextSibling() {
		if words(c, source) != "" {
			return false
		}
	}
	return true
}

var (
	picture = regexp.MustCompile(`(?s)<picture>.*?</picture>`)
	source  = regexp.MustCompile(`srcset="([^"]+)"`)
	image   = regexp.MustCompile(`<img alt="([^"]*)" src="([^"]+)"[^>]*>`)
)

// pictures puts both charts of each <picture> into the page, where its theme
// chooses between them.
func pictures(body []byte, read func(string) ([]byte, error)) ([]byte, error) {
	var failed error
	out := picture.ReplaceAllFunc(body, func(p []byte) []byte {
		dark, light := source.FindSubmatch(p), image.FindSubmatch(p)
		if dark == nil || light == nil {
			failed = fmt.Errorf("a picture that isn't written as the report's are: %.80q", p)
			return p
		}
		alt := string(light[1]) // escaped already
		var b strings.Builder
		b.WriteString(`<figure class="chart">`)
		for _, v := range [...]struct{ theme, name string }{{"light", string(light[2])}, {"dark", string(dark[1])}} {
			uri, err := embedded(html.UnescapeString(v.name), read)
			if err != nil {
				failed = err
			}
			fmt.Fprintf(&b, `<img class="%s" alt="%s" src="%s">`, v.theme, alt, uri)
		}
		b.WriteString(`</figure>`)
		return []byte(b.String())
	})
	return out, failed
}

func embedded(name string, read func(string) ([]byte, error)) (string, error) {
	b, err := read(name)
	if err != nil {
		return "", err
	}
	return "data:" + mime.TypeByExtension(path.Ext(name)) + ";base64," + base64.StdEncoding.EncodeToString(b), nil
}
