package live

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
)

// document is the page and its Content-Security-Policy.
type document struct {
	body   []byte
	policy string
}

// assemble puts style and script into the page, so that it needs no other file.
func assemble() (*document, error) {
	css, err := files.ReadFile("live.css")
	if err != nil {
		return nil, err
	}
	js, err := files.ReadFile("live.js")
	if err != nil {
		return nil, err
	}
	t, err := template.ParseFS(files, "live.html")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b,
		map[string]any{"CSS": template.CSS(css), "JS": template.JS(js), "Panels": []string{"A", "B"}}); err != nil {
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
	_, _ = w.Write(d.body)
}
