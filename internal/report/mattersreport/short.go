package mattersreport

import (
	"strings"

	"h2lab/internal/report/parts"
)

// Short returns the page for a terminal: the sentence, the warnings, the sentences about each limit as far as
// they have room, and the page's path.
func Short(in Input, colour bool) string {
	if in.Result == nil {
		return "there is no result to report on\n"
	}
	p := newSheet(in)
	headline := p.In(p.Headline())
	limits := func(room int) (out []string) {
		base, ok := p.Base()
		if !ok {
			return nil
		}
		for _, limit := range p.Map.Limits() {
			for _, s := range p.Language.AllIn(p.About(base, limit)) {
				lines := parts.ShortItem(s)
				if !strings.Contains(headline, s) && len(out)+len(lines) <= room {
					out = append(out, lines...)
				}
			}
		}
		return out
	}
	path := parts.Or(p.in.Path, "results/"+p.run().ID+"/"+Name(p.Language))
	return p.ShortList(headline, p.warnings(), limits, path, colour)
}
