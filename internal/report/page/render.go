package page

import (
	"bytes"
	"encoding/base64"
	"mime"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// render turns the text into the page's body.
func render(in Input) ([]byte, error) {
	md := goldmark.New(
		// Alignment as an attribute: the page's policy allows no style attributes.
		goldmark.WithExtensions(extension.NewTable(
			extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithASTTransformers(util.Prioritized(&marker{tables: in.Numbers}, 500))),
		// Not goldmark's WithUnsafe: the reports' few elements are allowed by name.
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&allowed{read: in.Read}, 100))),
	)
	var out bytes.Buffer
	if err := md.Convert(in.Markdown, &out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// slot is the attribute that links a number to its raw data.
const slot = "data-raw"

// marker sets a table's pointers on its cells.
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
		out = append(out, plainText(c, source))
	}
	return out
}

// plainText is the plain text of a node.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// mark sets the pointers of the cells of each row. A row with text only in its first cell is a
// heading between rows and has no pointers.
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
	if first == nil || plainText(first, source) == "" {
		return false
	}
	for c := first.NextSibling(); c != nil; c = c.NextSibling() {
		if plainText(c, source) != "" {
			return false
		}
	}
	return true
}

func embedded(name string, read func(string) ([]byte, error)) (string, error) {
	b, err := read(name)
	if err != nil {
		return "", err
	}
	return "data:" + mime.TypeByExtension(path.Ext(name)) + ";base64," + base64.StdEncoding.EncodeToString(b), nil
}
