package live

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"

	"golang.org/x/text/language"
)

// document is the page and its Content-Security-Policy.
type document struct {
	body   []byte
	policy string
}

// Words are the page's texts in another language than English.
type Words struct {
	Lang string            // as HTML's lang attribute
	Of   map[string]string // by English text
	// Always is set where the user has chosen the language; otherwise the browser does.
	Always bool
}

// wanted reports whether a browser gets the page in this language (RFC 9110, section 12.5.4).
func (w Words) wanted(r *http.Request) bool {
	if w.Lang == "" || w.Always {
		return w.Always
	}
	matcher := language.NewMatcher([]language.Tag{language.English, language.Make(w.Lang)})
	asked, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return false
	}
	_, index, _ := matcher.Match(asked...)
	return index == 1
}

// say returns a text of the page in the language.
func (w Words) say(english string) string { return cmp.Or(w.Of[english], english) }

// assemble puts style, script and words into the page, so that it needs no other file.
func assemble(w Words) (*document, error) {
	css, err := files.ReadFile("live.css")
	if err != nil {
		return nil, err
	}
	js, err := files.ReadFile("live.js")
	if err != nil {
		return nil, err
	}
	t, err := template.New("live.html").Funcs(template.FuncMap{"say": w.say}).ParseFS(files, "live.html")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	of := w.Of
	if of == nil {
		of = map[string]string{}
	}
	if err := t.Execute(&b, map[string]any{"Lang": cmp.Or(w.Lang, "en"), "Words": of, "CSS": template.CSS(css),
		"JS": template.JS(js), "Panels": []string{"A", "B"}}); err != nil {
		return nil, err
	}
	return &document{b.Bytes(), fmt.Sprintf(
		"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; "+
			"style-src '%s'; script-src '%s'",
		digest(css), digest(js))}, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (d *document) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", d.policy)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept-Language")
	_, _ = w.Write(d.body)
}
