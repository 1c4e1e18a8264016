package parts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// SweepInput is all data for a sweep's page.
type SweepInput struct {
	Result *facts.Result
	// Language is that of the text; default English.
	Language translations.Language
	// Charts is where the pictures are, relative to the page; default "charts/".
	Charts string
	// English is the file name of the English page, which a translation names; default sweep.md.
	English string
	// Path is the page's location as Short prints it.
	Path string
}

// SweepBuilt is a sweep's drawn page.
type SweepBuilt struct {
	// Files are the page and its charts, by their names beside results.json.
	Files map[string][]byte
	// Numbers says where the numbers of the page's tables come from.
	Numbers []Sources
}

// SweepName is the page's file name in a language.
func SweepName(l translations.Language) string {
	if l == translations.Chinese {
		return "sweep.zh.md"
	}
	return "sweep.md"
}

// Unmeasured are the cells that a reason kept from being measured.
type Unmeasured struct {
	Why   string
	Cells []string
}

// Missing returns the cells without all their trials, the trials that failed, and the cells that could not be
// measured, by their reasons in the order of the first.
func (p *Page) Missing() (missing []string, unmeasured []Unmeasured) {
	r := p.Result
	present, at := map[string]bool{}, map[string]int{}
	for i := range r.Cells {
		c := &r.Cells[i]
		present[c.ID()] = true
		switch n := len(c.Trials); {
		case c.Unsupported != "":
			why := p.In(core.Unmeasured(c))
			if _, known := at[why]; !known {
				at[why] = len(unmeasured)
				unmeasured = append(unmeasured, Unmeasured{Why: why})
			}
			u := &unmeasured[at[why]]
			u.Cells = append(u.Cells, c.ID())
		case n < r.Run.Trials:
			missing = append(missing, p.Say("page.has-of", c.ID(), text.Count(n), p.Plural(r.Run.Trials, "page.trials")))
		}
		for _, t := range c.Trials {
			if t.Fault != nil {
				missing = append(missing, p.Say("sweep.trial-failed", text.Count(t.Index), c.ID(), t.Fault.Message))
			}
		}
	}
	return append(missing, p.absent(present)...), unmeasured
}

// absent are the planned cells that the result doesn't have.
func (p *Page) absent(present map[string]bool) (out []string) {
	for _, id := range p.Result.Run.Planned {
		if !present[id] {
			out = append(out, p.Say("page.planned-missing", id))
		}
	}
	return out
}

// SweepGaps lists what is missing, with its reason.
func (p *Page) SweepGaps(missing []string, unmeasured []Unmeasured) {
	if len(missing)+len(unmeasured) == 0 {
		return
	}
	p.Heading("page.missing")
	for _, m := range missing {
		p.Printf("- %s\n", Escape(m))
	}
	for _, u := range unmeasured {
		p.Printf("- %s\n", Escape(p.Say("sweep.not-measured-reason", p.Language.List(u.Cells), u.Why)))
	}
}

// Incomplete is the warning of cells that are missing; the section Missing lists them.
func (p *Page) Incomplete(missing []string) []string {
	if len(missing) == 0 {
		return nil
	}
	return []string{p.Say("sweep.planned-cells-incomplete", text.Count(len(missing)), text.Count(p.planned()))}
}

// planned is how many cells the run was to have.
func (p *Page) planned() int { return max(len(p.Result.Run.Planned), len(p.Result.Cells)) }
