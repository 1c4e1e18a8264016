package clientreport

import (
	"regexp"
	"strings"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
)

// dash stands for what isn't known. It is never written as 0.
const dash = numfmt.Unknown

// space is one at which no line is broken.
const space = "\u00a0"

// symbols stand before the verdicts. They differ in shape, so that no reader
// depends on colour.
var symbols = map[clientverdicts.Verdict]string{
	clientverdicts.Sound: "✓", clientverdicts.Storms: "≫", clientverdicts.Loses: "✗", clientverdicts.Duplicates: "‼", clientverdicts.Hangs: "∞",
	clientverdicts.Crashes: "†", clientverdicts.Lies: "≠", clientverdicts.Inconclusive: "?", clientverdicts.Unsupported: "∅",
}

// verdict is one with its symbol.
func verdict(v clientverdicts.Verdict) string {
	if v == "" {
		return dash
	}
	return symbols[v] + space + strings.ReplaceAll(v.Words(), " ", space)
}

// whole writes a count with thousands separators.
func whole[T int | int64](v T) string { return numfmt.Count(v) }

func known(v *int64) string { return numfmt.Maybe(v, numfmt.Count[int64]) }

// measure writes something measured, with as many digits as mean something.
func measure(v *float64) string { return numfmt.Maybe(v, numfmt.Measured) }

// escape makes words safe for a cell or a line: no line break leaves it, and
// nothing in it is taken for markup.
func escape(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", `\*`, "_", `\_`,
		"`", "\\`", "[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`).Replace(s)
}

// spans are what stands between backticks in our own words.
var spans = regexp.MustCompile("`[^`]*`")

// prose is escape for words that may hold code spans of our own.
func prose(s string) string {
	var b strings.Builder
	last := 0
	for _, at := range spans.FindAllStringIndex(s, -1) {
		b.WriteString(keepEdges(s[last:at[0]]))
		b.WriteString(s[at[0]:at[1]])
		last = at[1]
	}
	b.WriteString(keepEdges(s[last:]))
	return b.String()
}

// keepEdges escapes and keeps a space at either end.
func keepEdges(s string) string {
	out := escape(s)
	if strings.HasPrefix(s, " ") {
		out = " " + out
	}
	if strings.HasSuffix(s, " ") && strings.TrimSpace(s) != "" {
		out += " "
	}
	return out
}

// code is a code span; a cell's bar is escaped, since GitHub splits cells first.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return dash
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

// block is a fenced code block that its content can't end.
func block(language, s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return fence + language + "\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}

// link leads to a client's place on the page.
func link(c facts.Client) string { return "[`" + string(c) + "`](#" + anchor(c) + ")" }

// anchor is a client's place, stable as long as its name is. The prefix keeps
// it apart from the places that GitHub makes of headings.
func anchor(c facts.Client) string { return "client-" + string(c) }

// place is where link leads to.
func place(c facts.Client) string { return `<a id="` + anchor(c) + `"></a>` }

func links(cs []facts.Client) string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = link(c)
	}
	return strings.Join(out, ", ")
}

func clientsOf(rows []*clientverdicts.Row) []facts.Client {
	out := make([]facts.Client, len(rows))
	for i, r := range rows {
		out[i] = r.Client
	}
	return out
}

func or(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

func plural[T int | int64](n T, one, many string) string { return numfmt.Counted(n, one, many) }

func seconds(s float64) string { return numfmt.Seconds(s) }

// speaks is a protocol as one says it.
func speaks(p facts.Protocol) string {
	if p == facts.H1 {
		return "HTTP/1.1"
	}
	return "HTTP/2"
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	r := []rune(s)
	s = strings.ToUpper(string(r[0])) + string(r[1:])
	if !strings.ContainsAny(s[len(s)-1:], ".!?:") {
		s += "."
	}
	return s
}
