// Package markdown writes words that come from elsewhere (messages of clients,
// names of machines, a run's own fields) into Markdown, so that nothing in them
// is taken for markup: not by CommonMark, not by GitHub's tables, not as HTML.
package markdown

import (
	"regexp"
	"strings"

	"h2lab/internal/base/text"
)

// Dash stands for what isn't known.
const Dash = "–"

var escapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", `\*`, "_", `\_`,
	"`", "\\`", "[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`)

// begins is what makes a block of the line that it begins: an item, a rule, a
// heading's underline, or the second line of a table (CommonMark §4.1, 4.3, 5.2;
// GFM §4.10).
var begins = regexp.MustCompile(`^(?:(\d+)[.)](?: |$)|[-+](?: |$)|[-=:+][-=:+| ]*$)`)

// Escape makes words safe for a cell or a line: no line break leaves them.
func Escape(s string) string {
	s = text.Line(s)
	out := escapes.Replace(s)
	if at := begins.FindStringSubmatchIndex(s); at != nil {
		digits := max(0, at[3]) // what stands before the mark
		return out[:digits] + `\` + out[digits:]
	}
	return out
}

// Code is a code span. A bar is escaped, since GitHub splits cells first.
// Behind a backslash it can't be: the pair would be read as an escaped backslash
// and the end of a cell, so such words are written as an element.
func Code(s string) string {
	s = text.Line(s)
	switch {
	case s == "":
		return Dash
	case strings.Contains(s, `\|`):
		return "<code>" + escapes.Replace(s) + "</code>"
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

var language = regexp.MustCompile(`^[a-z0-9+-]*$`)

// Block is a fenced code block that its content can't end.
func Block(lang, s string) string {
	if !language.MatchString(lang) {
		lang = ""
	}
	s = text.Clean(s)
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + lang + "\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}

var span = regexp.MustCompile("`[^`]+`")

// Prose is Escape for our own words, which may hold code spans. Backticks
// that don't pair, as those of a quoted message, are escaped.
func Prose(s string) string {
	s = text.Line(s)
	var b strings.Builder
	last := 0
	for _, at := range span.FindAllStringIndex(s, -1) {
		if at[0] > 0 && s[at[0]-1] == '`' || at[1] < len(s) && s[at[1]] == '`' {
			continue
		}
		b.WriteString(edges(s[last:at[0]]))
		b.WriteString(s[at[0]:at[1]])
		last = at[1]
	}
	b.WriteString(edges(s[last:]))
	return b.String()
}

// edges escapes and keeps a space at either end.
func edges(s string) string {
	out := Escape(s)
	if strings.HasPrefix(s, " ") {
		out = " " + out
	}
	if strings.HasSuffix(s, " ") && strings.TrimSpace(s) != "" {
		out += " "
	}
	return out
}

var unanchored = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// Anchor is a name as an id and the end of a link can have it.
func Anchor(s string) string { return unanchored.ReplaceAllString(s, "-") }
