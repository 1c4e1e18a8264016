// Package parts writes what the reports of several commands share: headings, numbered notes, verdicts, warnings, the
// frames of a renewal, the environment, and the formats of numbers. runreport and storyreport hold the sections of
// their own.
package parts

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"
	"strings"
	"text/template"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/markdown"
)

// Input is all data for the page of a run of any kind.
type Input struct {
	Result   *facts.Result
	Verdicts []facts.Verdict
	// Language is that of the text; default English.
	Language texts.Language
	// Series reads a trial's timeline by its name in the result. It may be nil.
	Series func(rel string) (facts.Series, error)
	// Diff is the unified diff from nginx's configuration with the low limit to the one with the high limit.
	Diff string
	// Path is the page's location as the version for a terminal prints it.
	Path string
	// Charts is where the pictures are, relative to the page; default "charts/".
	Charts string
	// English is the file name of the English page, which a translation names; default that beside the run.
	English string
	// Unmeasured are the rows of clients without a cell in Result, with their client and program alone.
	Unmeasured []facts.Cell
}

// Built is a drawn page.
type Built struct {
	// Files are the page and its charts, by their names beside results.json.
	Files map[string][]byte
	// Numbers says where the numbers of the page's tables come from.
	Numbers []Sources
}

// Page is a report while it is written.
type Page struct {
	Input
	Run facts.Run
	// Rule finds a verdict's part of the report and the status of a healthy run; both may be empty.
	Rule  func(id string) (group core.Group, good facts.Status)
	Notes Notes
	Built
	Text bytes.Buffer
	name string
	err  error // the first error of a template or a chart
}

// New begins a page, NAME.md. It escapes the unsafe characters of a run (text.Clean), such as terminal control
// sequences, before any of its text is used.
func New(name string, in Input) Page {
	in.Result, in.Verdicts = text.CleanAll(in.Result), text.CleanAll(in.Verdicts)
	in.Diff, in.Path = text.Clean(in.Diff), text.Line(in.Path)
	return Page{Input: in, Run: in.Result.Run, name: name, Built: Built{Files: map[string][]byte{}}}
}

// Name is a page's file name in a language: NAME.md or NAME.zh.md.
func Name(name string, l texts.Language) string { return ChartName(l, name) + ".md" }

// Build writes the sections and returns the page with its charts.
func (p *Page) Build(sections ...func()) (Built, error) {
	for _, section := range sections {
		section()
	}
	p.Files[Name(p.name, p.Language)] = p.finished()
	return p.Built, p.err
}

// Top writes the first screen: the headline, its picture, the run, and the warnings of the whole run.
func (p *Page) Top(title, headline string, warnings []string, pictures func()) {
	p.Printf("%s> **%s**\n\n", title, headline)
	pictures()
	p.Print("page.run", Code(p.command()), Code(p.Run.ID), When(p.Run.Started), Escape(Or(p.Run.Runtime, Dash)))
	for i, w := range warnings {
		if i == 0 {
			p.Printf("**%s**\n\n", p.Say(WarningsHead))
		}
		p.Printf("- %s\n", Escape(w)) // it quotes messages of the run
	}
	p.AboutLanguage()
}

// command is the command line that measures the same again.
func (p *Page) command() string { return Or(p.Run.Repeat, "h2lab "+p.Run.Command) }

// Repeat writes the section of that command line.
func (p *Page) Repeat() {
	p.Heading("page.repeat-run")
	p.Print("page.make-report-draws-same", Block("sh", p.command()))
}

// Printf writes text.
func (p *Page) Printf(format string, args ...any) { fmt.Fprintf(&p.Text, format, args...) }

// Say returns a phrase in the report's language.
func (p *Page) Say(f string, args ...any) string { return p.Language.Say(f, args...) }

// In returns a text in the report's language.
func (p *Page) In(t facts.Text) string { return p.Language.In(t) }

// Print writes a phrase.
func (p *Page) Print(f string, args ...any) { p.Text.WriteString(p.Say(f, args...)) }

// Translated reports whether the report isn't the English one.
func (p *Page) Translated() bool { return p.Language == texts.Chinese }

// Plural writes a number with its noun.
func (p *Page) Plural(n int, noun string) string {
	return p.Say(noun, core.Count(float64(n)))
}

// Heading begins a section.
func (p *Page) Heading(words string) { p.HeadingOf(facts.T(string(words))) }

// HeadingOf begins a section. A translated section keeps the English anchor, so that a link leads to the same place in
// both languages.
func (p *Page) HeadingOf(t facts.Text) {
	if p.Translated() {
		p.Printf("\n<a id=\"%s\"></a>\n", anchor(texts.English.In(t)))
	}
	p.Printf("\n## %s\n\n", p.In(t))
}

// anchor is a heading as the end of a link, without the number of the section.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimLeft(heading, "0123456789. ")), " ", "-")
}

// Prose writes one of a package's longer texts, text/NAME or text/zh/NAME, with the run's values filled in.
func (p *Page) Prose(from fs.FS, name string, data any) {
	folder := "text/"
	if p.Translated() {
		folder += "zh/"
	}
	t, err := template.New(name).Option("missingkey=error").ParseFS(from, folder+name)
	if err == nil {
		err = t.Execute(&p.Text, data)
	}
	p.keep(err)
}

// keep keeps the first error.
func (p *Page) keep(err error) {
	if p.err == nil {
		p.err = err
	}
}

// AboutLanguage says in a translation what isn't translated.
func (p *Page) AboutLanguage() {
	if p.Translated() {
		p.Prose(written, "language.md", map[string]any{"English": Or(p.English, Name(p.name, texts.English))})
	}
}

// finished is the text, with several empty lines reduced to one outside of code blocks, and none at the end.
func (p *Page) finished() []byte {
	var out []string
	fence := ""
	for _, line := range strings.Split(strings.TrimSpace(p.Text.String()), "\n") {
		bare := strings.TrimSpace(line)
		if ticks := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]; len(ticks) >= 3 {
			switch fence {
			case "":
				fence = ticks
			case bare:
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

// Dash marks an unknown number, which is never written as 0.
const Dash = text.Unknown

// Number writes a value for a table.
func Number(v *float64) string { return text.Maybe(v, text.Number) }

// Measure writes a measured number in the same form as the others of its column.
func Measure(v *float64) string { return text.Maybe(v, text.Measured) }

// Whole rounds to a whole number, for counts.
func Whole(v *float64) string { return text.Maybe(v, text.Whole) }

// Percent writes a share.
func Percent(v *float64) string {
	return text.Maybe(v, func(v float64) string { return text.Decimals(v*100, 1) + Space + "%" })
}

// Interval writes lo and hi, or "" if they are unknown.
func Interval(lo, hi *float64, write func(*float64) string) string {
	if lo == nil || hi == nil {
		return ""
	}
	a, b := write(lo), write(hi)
	if a == b {
		return ""
	}
	return " (" + a + Dash + b + ")"
}

// Stacked puts the interval on a line below its median, so that tables don't break it elsewhere.
func Stacked(s string) string { return strings.Replace(s, " (", "<br>(", 1) }

// Space is a non-breaking space.
const Space = "\u00a0"

// TwoDigits writes a ratio.
func TwoDigits(v *float64) string {
	return text.Maybe(v, func(v float64) string { return text.Decimals(v, 2) })
}

// Times writes a ratio with its interval, and ~ if the difference isn't significant.
func Times(c *statistics.Comparison) string {
	if c == nil || c.Ratio == nil {
		return Dash
	}
	s := "×" + Space + TwoDigits(c.Ratio) + Interval(c.Lo, c.Hi, TwoDigits)
	if m := c.Mark(); m != "" {
		s = m + Space + s
	}
	return s
}

// Escape makes text safe for a cell or a line.
func Escape(s string) string { return markdown.Escape(s) }

// Code returns a code span.
func Code(s string) string { return markdown.Code(s) }

// longestMessage is how much of a message a cell shows; results.json has all of it.
const longestMessage = 2000

// Message returns a verbatim message for a cell.
func Message(s string) string { return Code(text.Clip(s, longestMessage)) }

// Block returns a fenced code block.
func Block(language, s string) string { return markdown.Block(language, s) }

// Or replaces an empty text.
func Or(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

// When writes a time.
func When(t time.Time) string {
	if t.IsZero() {
		return Dash
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// Seconds writes a duration.
func Seconds(s float64) string { return text.Seconds(s) }

// Sources says where the numbers of one table come from.
type Sources struct {
	Heads []string
	// Cells has a place for each cell of each row of numbers: a JSON pointer into the run's
	// results.json, in which * stands for each trial, or empty.
	Cells [][]string
}

// Column is one column of a table over rows: its head, its meaning, and how it writes a cell. The glossary uses the same
// list, so that it explains every column.
type Column[R any] struct {
	Head, Meaning string
	Left          bool // text is aligned left, numbers right
	Cell          func(R) string
	// Raw is the place of the numbers within a cell of results.json: a JSON pointer in which * stands for each trial.
	// Empty for text.
	Raw string
}

// Label is a column of texts.
func Label[R any](head, meaning string, cell func(R) string) Column[R] {
	return Column[R]{Head: head, Meaning: meaning, Left: true, Cell: cell}
}

// Figure is a column of numbers with their place.
func Figure[R any](head, meaning string, raw string, cell func(R) string) Column[R] {
	return Column[R]{Head: head, Meaning: meaning, Raw: raw, Cell: cell}
}

// Rows makes a table of columns and rows. group, which may be nil, is the heading above the rows that have the same; cell
// is the index of a row's cell in results.json, negative without one.
func Rows[R any](p *Page, columns []Column[R], rows []R, group func(R) string, cell func(R) int) (g Grid) {
	for _, c := range columns {
		g.Heads = append(g.Heads, p.Say(c.Head))
		g.right = append(g.right, !c.Left)
	}
	last := ""
	for _, r := range rows {
		if group != nil && group(r) != last {
			last = group(r)
			g.Add(Plain(last)...)
		}
		var line []Cell
		for _, c := range columns {
			one := Cell{Text: c.Cell(r)}
			if c.Raw != "" && cell(r) >= 0 {
				one.Raw = fmt.Sprintf("/cells/%d%s", cell(r), c.Raw)
			}
			line = append(line, one)
		}
		g.Add(line...)
	}
	return g
}

// Explain writes the rows of a glossary: each column once.
func Explain[R any](p *Page, columns ...Column[R]) {
	seen := map[string]bool{}
	for _, c := range columns {
		if !seen[c.Head] {
			p.Printf("| %s | %s |\n", p.Say(c.Head), p.Say(c.Meaning))
		}
		seen[c.Head] = true
	}
}

// Grid is a table with the places of its numbers in results.json.
type Grid struct {
	Heads []string
	// Left is how many columns at the left hold text; 0 is all.
	Left  int
	right []bool // instead of Left, for each column
	rows  [][]Cell
}

// Cell is a text and the place of its number, which may be empty.
type Cell struct{ Text, Raw string }

// Plain are cells whose texts have no place in results.json.
func Plain(texts ...string) (out []Cell) {
	for _, s := range texts {
		out = append(out, Cell{Text: s})
	}
	return out
}

// Add adds a row. A row of one cell is a heading between rows.
func (g *Grid) Add(cells ...Cell) { g.rows = append(g.rows, cells) }

// Empty reports whether a table has no rows.
func (g *Grid) Empty() bool { return len(g.rows) == 0 }

// Table writes a table and keeps the places of its numbers.
func (p *Page) Table(g Grid) {
	p.Printf("| %s |\n", strings.Join(g.Heads, " | "))
	for i := range g.Heads {
		right := g.Left > 0 && i >= g.Left || g.right != nil && g.right[i]
		p.Printf("%s", map[bool]string{false: "|:--", true: "|--:"}[right])
	}
	p.Printf("|\n")
	numbers, any := Sources{Heads: g.Heads}, false
	for _, row := range g.rows {
		if len(row) == 1 {
			p.Printf("| **%s** |%s\n", row[0].Text, strings.Repeat(" |", len(g.Heads)-1))
			continue
		}
		var raws []string
		for _, c := range row {
			p.Printf("| %s ", c.Text)
			raws = append(raws, c.Raw)
			any = any || c.Raw != ""
		}
		p.Printf("|\n")
		numbers.Cells = append(numbers.Cells, raws)
	}
	p.Printf("\n")
	if any {
		p.Numbers = append(p.Numbers, numbers)
	}
}

// Cells are all cells of the run.
func (p *Page) Cells() (out []*facts.Cell) {
	for i := range p.Result.Cells {
		out = append(out, &p.Result.Cells[i])
	}
	return out
}

// Says are phrases, such as the heads of a table, in the page's language.
func (p *Page) Says(phrases ...string) (out []string) {
	for _, f := range phrases {
		out = append(out, p.Say(f))
	}
	return out
}

// ServerDiff shows the one line that cures, and the whole diff as evidence that nothing else
// changed.
func (p *Page) ServerDiff(diff string) string {
	if strings.TrimSpace(diff) == "" {
		return Block("diff", "-        keepalive_requests 1000;\n+        keepalive_requests 100000;") +
			p.Say("page.complete-difference-diff")
	}
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	var limit []string
	for i, l := range lines {
		// A file's modification time differs in every checkout; its name doesn't.
		if strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ") {
			lines[i], _, _ = strings.Cut(l, "\t")
			continue
		}
		if changed(l) && strings.Contains(l, "# the limit") {
			limit = append(limit, l)
		}
	}
	whole := Block("diff", strings.Join(lines, "\n"))
	if len(limit) == 0 {
		return whole
	}
	return Block("diff", strings.Join(limit, "\n")) + "\n<details><summary>" +
		p.Say("page.complete-difference-two") + "</summary>\n\n" +
		whole + "\n</details>\n\n"
}

func changed(l string) bool { return strings.HasPrefix(l, "-") || strings.HasPrefix(l, "+") }

// What a bar's place says where a run has no number for it; %s is the recorded reason.
const (
	NotPart     string = "chart.not-part-run"
	Unsupported string = "chart.unsupported"
)

// Words are the texts of a chart in the page's language.
func (p *Page) Words(title, subtitle, desc string) chart.Words {
	return chart.Words{Title: title, Subtitle: subtitle, Desc: desc, Language: p.Language}
}

// ChartName is a chart's name in a language: goodput.zh is beside goodput as report.zh.md is beside report.md.
func ChartName(l texts.Language, name string) string {
	if l == texts.Chinese {
		return name + ".zh"
	}
	return name
}

// Chart draws a chart and shows it, NAME-light.svg or NAME-dark.svg in the theme of the reader.
func (p *Page) Chart(name, alt string, drawing interface{ Draw() (chart.Picture, error) }) {
	drawn, err := drawing.Draw()
	p.keep(err)
	name = ChartName(p.Language, name)
	p.Files["charts/"+name+"-light.svg"], p.Files["charts/"+name+"-dark.svg"] = drawn.Light, drawn.Dark
	at := Or(p.Charts, "charts/") + name
	p.Printf("<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"%s-dark.svg\">\n", at)
	p.Printf("  <img alt=\"%s\" src=\"%s-light.svg\" width=\"800\">\n</picture>\n\n", html.EscapeString(alt), at)
}
