// Package pagetest checks what holds for the pages of every kind of run, in both languages; only tests import it.
package pagetest

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/report/parts"
)

// Pages are the pages of one kind of run.
type Pages struct {
	Name  string // NAME.md
	Build func(parts.Input) (parts.Built, error)
	Short func(in parts.Input, colour bool) string
	// Input is all data for a page of a result; nil stands for the result alone.
	Input func(*facts.Result) parts.Input
	// Foreign are texts of programs and machines, which stay as they are; nil where descriptions of the run do too.
	Foreign *regexp.Regexp
}

func (p Pages) input(r *facts.Result, l texts.Language) (in parts.Input) {
	in.Result = r
	if p.Input != nil {
		in = p.Input(r)
	}
	in.Language, in.Path = l, cmp.Or(in.Path, "results/"+r.Run.ID+"/"+p.Name+".md")
	return in
}

// Draw is a page in a language, with its charts.
func (p Pages) Draw(t *testing.T, r *facts.Result, l texts.Language) (parts.Built, string) {
	t.Helper()
	built, err := p.Build(p.input(r, l))
	labtest.Check(t, err)
	return built, string(built.Files[parts.Name(p.Name, l)])
}

// Has fails where a page lacks a text.
func (p Pages) Has(t *testing.T, r *facts.Result, wants ...string) {
	t.Helper()
	_, md := p.Draw(t, r, texts.English)
	for _, want := range wants {
		if !strings.Contains(md, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Hold checks the pages of some runs, and compares those of the golden ones with testdata/NAME.txtar.
func (p Pages) Hold(t *testing.T, runs map[string]*facts.Result, golden []string, update bool) {
	for name, r := range runs {
		t.Run(name, func(t *testing.T) {
			built, en := p.Draw(t, r, texts.English)
			translated, zh := p.Draw(t, r, texts.Chinese)
			labtest.SameCharts(t, name, built.Files, translated.Files)
			if p.Foreign == nil {
				want, got := figure.FindAllString(en, -1), figure.FindAllString(zh, -1)
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(want, got) {
					t.Errorf("figures %q in English, %q in Chinese", want, got)
				}
			} else {
				labtest.SameReport(t, name, p.Foreign.ReplaceAllString(en, "¦"), p.Foreign.ReplaceAllString(zh, "¦"))
			}
			short := p.Short(p.input(r, texts.English), false)
			for _, page := range []string{en, zh, short} {
				labtest.WholeTables(t, name, Outside(page))
				labtest.Unmeant(t, name, spans.ReplaceAllString(Outside(page), ""))
			}
			shows(t, built, en)
			if slices.Contains(golden, name) {
				if again, _ := p.Draw(t, r, texts.English); !maps.EqualFunc(built.Files, again.Files, bytes.Equal) {
					t.Error("the same input gave different bytes")
				}
				built.Files[parts.Name(p.Name, texts.Chinese)], built.Files["short.txt"] = []byte(zh), []byte(short)
				labtest.GoldenPages(t, name, built.Files, update)
			}
		})
	}
}

// Fit checks that the versions for a terminal fit a small window.
func (p Pages) Fit(t *testing.T, runs map[string]*facts.Result) {
	for _, r := range runs {
		in := p.input(r, texts.English)
		labtest.FitsTerminal(t, p.Short(in, false), p.Short(in, true))
	}
}

var (
	figure  = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)
	spans   = regexp.MustCompile("``[^\n]*?``|`[^`\n]*`")
	shown   = regexp.MustCompile(`charts/[a-z0-9-]+\.svg`)
	place   = regexp.MustCompile(`<a id="([^"]+)">`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link    = regexp.MustCompile(`\]\(#([^)]+)\)`)
	unnamed = regexp.MustCompile(`[^a-z0-9 _-]`)
	pointer = regexp.MustCompile(`^/cells/\d+/(?:trials/\*/[a-z_0-9/]+|[a-z_]+)$`)
)

// shows checks that what a page refers to is there: each chart in both themes, a place for each link, once, and a place in
// results.json for each number.
func shows(t *testing.T, built parts.Built, md string) {
	t.Helper()
	drawn := slices.DeleteFunc(slices.Collect(maps.Keys(built.Files)), func(f string) bool { return !strings.HasPrefix(f, "charts/") })
	if names := shown.FindAllString(md, -1); !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(drawn))) {
		t.Errorf("charts shown: %q, drawn: %q", names, drawn)
	}
	text, places := Outside(md), map[string]int{}
	for _, m := range place.FindAllStringSubmatch(text, -1) {
		places[m[1]]++
	}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		places[strings.ReplaceAll(unnamed.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")]++ // as GitHub does
	}
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if places[m[1]] != 1 {
			t.Errorf("#%s is there %d times", m[1], places[m[1]])
		}
	}
	for _, table := range built.Numbers {
		for _, row := range table.Cells {
			for _, raw := range row {
				if len(row) != len(table.Heads) || raw != "" && !pointer.MatchString(raw) {
					t.Errorf("under the heads %q: the place %q in %q", table.Heads, raw, row)
				}
			}
		}
	}
}

// Outside is a page without its code blocks.
func Outside(md string) string {
	var out []string
	fence := ""
	for _, line := range strings.Split(md, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && line == fence:
			fence = ""
		case fence == "":
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// Explained checks that each column has one row in a page's glossary and a whole sentence.
func Explained[R any](t *testing.T, md string, columns []parts.Column[R]) {
	t.Helper()
	for _, c := range columns {
		says := texts.English.Say(c.Meaning)
		if n := strings.Count(md, "\n| "+texts.English.Say(c.Head)+" | "+says+" |\n"); n != 1 || len(says) < 15 {
			t.Errorf("column %q has %d rows in the glossary: %q", c.Head, n, says)
		}
	}
}
