package runreport

import "embed"

//go:embed text/*.md text/zh/*.md
var texts embed.FS

func (p *page) prose(name string, data any) { p.Prose(texts, name, data) }

func (p *page) why() {
	p.Heading("page.why")
	p.prose("why.md", nil)
}
