package clientreport

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// Input is all data for a page.
type Input struct {
	Result *facts.Result
	// Language is that of the page.
	Language translations.Language
	// English is the name of the English page, to which a translation refers; default clients.md.
	English string
	// Charts is the path of the pictures relative to the page; default "charts/".
	Charts string
}

// Name returns the page's file name.
func Name(l translations.Language) string {
	if l == translations.Chinese {
		return "clients.zh.md"
	}
	return "clients.md"
}

// Build returns the page, its chart, and with the English page clients.json, by their names beside results.json.
func Build(in Input) (map[string][]byte, error) {
	if in.Result == nil {
		return nil, parts.NoResult("make clients")
	}
	p := newPage(in)
	for _, section := range []func(){
		p.top, p.find, p.matrix, p.libraries, p.lies, p.notCured, p.own, p.near, p.unsupported, p.method, p.care,
		p.terms,
	} {
		section()
	}
	files := map[string][]byte{Name(in.Language): tidy(p.Text.Bytes())}
	if p.Err != nil {
		return files, p.Err
	}
	picture, err := p.field().Draw()
	if err != nil {
		return nil, err
	}
	p.Keep(files, chartName, picture)
	if p.Translated() {
		return files, nil
	}
	files["clients.json"], err = p.json()
	return files, err
}

// page is the page while it is written.
type page struct {
	parts.Page
	in   Input
	run  facts.Run
	rows []clientverdicts.Row
	at   map[facts.Client]*clientverdicts.Row
	low  string // the topology with the low limit
	far  string // Envoy's with the same limit
}

// high is the topology whose limit no window reaches.
const high = "nginx-100000"

func newPage(in Input) *page {
	in.Result = text.CleanAll(in.Result) // escapes unsafe characters
	p := &page{Page: parts.Page{Result: in.Result, Language: in.Language, Charts: in.Charts}, in: in, run: in.Result.Run,
		rows: clientverdicts.Rows(in.Result), at: map[facts.Client]*clientverdicts.Row{}}
	p.low, p.far = fmt.Sprintf("nginx-%d", p.run.Limit), fmt.Sprintf("envoy-%d", p.run.Limit)
	for i := range p.rows {
		p.at[p.rows[i].Client] = &p.rows[i]
	}
	return p
}

// with returns the rows that have a verdict, as the worst or as another one.
func (p *page) with(v clientverdicts.Verdict) []*clientverdicts.Row {
	return p.where(func(r *clientverdicts.Row) bool {
		if r.Verdict == v {
			return true
		}
		return slices.Contains(r.Also, v)
	})
}

func (p *page) where(is func(*clientverdicts.Row) bool) []*clientverdicts.Row {
	var out []*clientverdicts.Row
	for i := range p.rows {
		if is(&p.rows[i]) {
			out = append(out, &p.rows[i])
		}
	}
	return out
}

// tidy reduces several empty lines to one, except in code blocks, and removes those at the end.
func tidy(md []byte) []byte {
	var out []string
	fence := ""
	for _, line := range strings.Split(strings.TrimSpace(string(md)), "\n") {
		if ticks := leading(strings.TrimSpace(line), '`'); len(ticks) >= 3 {
			switch {
			case fence == "":
				fence = ticks
			case strings.TrimSpace(line) == fence:
				fence = ""
			}
		}
		if line == "" && fence == "" && len(out) > 0 && out[len(out)-1] == "" {
			continue
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n") + "\n")
}

func leading(s string, c byte) string {
	i := 0
	for i < len(s) && s[i] == c {
		i++
	}
	return s[:i]
}
