// Package page makes one HTML file of a report: text, charts, and the raw data behind each number.
// It loads nothing from the network, so a reader can mail it and open it offline.
//
// It renders what internal/report/runreport and internal/report/clientreport wrote and adds no
// statement of its own. Goldmark renders the Markdown. page.js only sorts tables, switches the
// theme and shows the raw data; without it the page is still readable.
//
// Reports quote messages of servers and clients, so the page trusts no text: a
// Content-Security-Policy allows only the page's own script and style, by hash, and no requests.
package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io"
	"mime"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	xhtml "golang.org/x/net/html"

	"h2lab/internal/base/texts"
)

//go:embed page.html page.css page.js
var files embed.FS

// Input is all data for a page.
type Input struct {
	Title string
	// Language is that of the text, and of the page's own words.
	Language texts.Language
	Markdown []byte
	// Read returns a file that the Markdown refers to, by its name beside it.
	Read func(name string) ([]byte, error)
	// Raw is the data behind the numbers, in the order of the page.
	Raw []Raw
	// Numbers says which raw value belongs to each cell of a table.
	Numbers []Table
}

// Raw is one JSON document in the page.
type Raw struct {
	Name string // results.json
	JSON []byte
}

// Table is one table whose numbers link to raw data. It applies to the next table of the text with
// these heads.
type Table struct {
	Heads []string
	// Cells has a pointer for each cell of each row that isn't a heading: the name of a Raw, '#',
	// and a JSON pointer (RFC 6901). Empty means that there is none.
	Cells [][]string
}

// Build makes the page.
func Build(in Input) ([]byte, error) {
	body, err := render(in)
	if err != nil {
		return nil, err
	}
	css, js, err := parts()
	if err != nil {
		return nil, err
	}
	raw, err := compacted(in.Raw)
	if err != nil {
		return nil, err
	}
	t, err := template.ParseFS(files, "page.html")
	if err != nil {
		return nil, err
	}
	say := in.Language.Say
	words := map[string]string{"Dark": say("page.dark"), "Light": say("page.light"), "Raw": say("page.raw-data"),
		"Trial": say("page.head-trial"), "Value": say("page.head-value"), "Evidence": say("page.head-evidence"),
		"Close": say("page.close"), "File": say("page.whole-file")}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Title": in.Title, "Lang": cmp.Or(in.Language, texts.English), "Words": words, "Policy": policy(css, js), "Raw": raw,
		// goldmark rendered the body without raw HTML, except for a few elements allowed by name.
		"Body": template.HTML(body), "CSS": template.CSS(css), "JS": template.JS(js),
	})
	return out.Bytes(), err
}

func parts() (css, js string, err error) {
	c, err := files.ReadFile("page.css")
	if err != nil {
		return "", "", err
	}
	j, err := files.ReadFile("page.js")
	return string(c), string(j), err
}

// policy allows the page's own style and script and nothing else: images are data URLs, and the
// page makes no request.
func policy(css, js string) string {
	return fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src '%s'; "+
		"script-src '%s'",
		digest(css), digest(js))
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// document is a Raw as the template writes it.
type document struct {
	Name string
	JSON template.JS
}

// compacted validates and compacts the raw data. "</script" can't end the element early, since
// encoding/json writes "<" in strings as \u003c.
func compacted(all []Raw) ([]document, error) {
	var out []document
	for _, r := range all {
		var b, safe bytes.Buffer
		if err := json.Compact(&b, r.JSON); err != nil {
			return nil, fmt.Errorf("%s is not JSON: %w", r.Name, err)
		}
		json.HTMLEscape(&safe, b.Bytes())
		out = append(out, document{r.Name, template.JS(safe.String())})
	}
	return out, nil
}

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
