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

// Input is all a page is made of.
type Input struct {
	Title string
	// Lang is the language of the text, as HTML's lang attribute has it.
	Lang string
	// Words are those of the page's own buttons; English where none are given.
	Words    *Words
	Markdown []byte
	// Read gives a file that the markdown shows, by its name beside it.
	Read func(name string) ([]byte, error)
	// Raw is the data behind the numbers, in the order it is offered.
	Raw []Raw
	// Numbers says which raw value each cell of a table shows.
	Numbers []Table
}

// Words are what the page itself says, beside its text.
type Words struct {
	Dark, Light string // the button that switches the theme
	Raw         string // what a number's button shows
	Trial       string // heads of the table of each trial's value
	Value       string
	Evidence    string // above a verdict's value
	Close       string
	File        string // the link to the whole document
}

var english = Words{Dark: "Dark", Light: "Light", Raw: "the raw data behind it", Trial: "Trial", Value: "Value", Evidence: "Evidence",
	Close: "Close", File: "the whole file"}

// Raw is one JSON document that the page carries.
type Raw struct {
	Name string // results.json
	JSON []byte
}

// Table is one table whose numbers lead to raw data. It is the next one of the
// text whose heads are these.
type Table struct {
	Heads []string
	// Cells has a pointer for each cell of each row that isn't a heading: the
	// name of a Raw, '#', and a JSON pointer (RFC 6901). Empty means that there is none.
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
		// Rendered without any HTML but a few elements that are allowed by name.
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

// policy lets the page's own style and script in and nothing else: images are
// data, and no address is ever asked.
func policy(css, js string) string {
	return fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src '%s'; script-src '%s'",
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

// compacted checks and shortens the raw data. "</script" can't end the element
// early, since encoding/json writes "<" in strings as \u003c.
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
