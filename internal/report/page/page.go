package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
)

//go:embed page.html page.css page.js
var files embed.FS

// Input is all data for a page.
type Input struct {
	Title string
	// Lang is the value of HTML's lang attribute.
	Lang string
	// Words are the texts of the page's own buttons; default English.
	Words    *Words
	Markdown []byte
	// Read returns a file that the Markdown refers to, by its name beside it.
	Read func(name string) ([]byte, error)
	// Raw is the data behind the numbers, in the order of the page.
	Raw []Raw
	// Numbers says which raw value belongs to each cell of a table.
	Numbers []Table
}

// Words are the page's own texts, in addition to the report.
type Words struct {
	Dark, Light string // the button that switches the theme
	Raw         string // what the button of a number shows
	Trial       string // head of the table of each trial's value
	Value       string
	Evidence    string // above a verdict's value
	Close       string
	File        string // the link to the whole document
}

var english = Words{Dark: "Dark", Light: "Light", Raw: "the raw data behind it", Trial: "Trial", Value: "Value",
	Evidence: "Evidence", Close: "Close", File: "the whole file"}

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
	lang := in.Lang
	if lang == "" {
		lang = "en"
	}
	words := in.Words
	if words == nil {
		words = &english
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Title": in.Title, "Lang": lang, "Words": words, "Policy": policy(css, js), "Raw": raw,
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
