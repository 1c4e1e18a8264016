package runreport

import "h2lab/internal/facts"

func (p *page) cures() {
	p.Heading("page.three-cures")
	p.prose("cures.md", map[string]any{"ServerDiff": p.ServerDiff(p.in.Diff), "MaxStreams": facts.MaxConcurrentStreams})
}
