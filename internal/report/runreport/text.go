package runreport

import (
	"embed"
	"text/template"
)

//go:embed text/*.md text/zh/*.md
var texts embed.FS

// prose writes one of the longer texts with the run's values filled in.
func (p *page) prose(name string, data any) {
	from := "text/"
	if p.translated() {
		from += "zh/"
	}
	t, err := template.New(name).Option("missingkey=error").ParseFS(texts, from+name)
	if err == nil {
		err = t.Execute(&p.md, data)
	}
	if err != nil && p.err == nil {
		p.err = err
	}
}

func (p *page) why() {
	p.heading("Why")
	p.prose("why.md", nil)
}
