// Package markdown writes foreign text (messages of clients, names of machines, a run's own fields)
// into Markdown, so that none of it is interpreted as markup: not by CommonMark, not by GitHub's
// tables, not as HTML.
package markdown

import (
	"regexp"
	"strings"

	"h2lab/internal/base/text"
)

// Dash marks an unknown value.
const Dash = "–"

var escapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", `\*`, "_", `\_`,
	"`", "\\`", "[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`)

// begins matches the beginning of a line that would start a block: an item, a rule, a heading's
// underline, or the second line of a table (CommonMark §4.1, 4.3, 5.2; GFM §4.10).
var begins = regexp.MustCompile(`^(?:(\d+)[.)](?: |$)|[-+](?: |$)|[-=:+][-=:+| ]*$)`)

// Escape makes text safe for a cell or a line; it replaces line breaks.
func Escape(s string) string {
	s = text.Line(s)
	out := escapes.Replace(s)
	if at := begins.FindStringSubmatchIndex(s); at != nil {
		digits := max(0, at[3]) // the length of the number before the mark
		return out[:digits] + `\` + out[digits:]
	}
	return out
}

// Code returns a code span. It escapes a bar, since GitHub splits cells first. After a backslash
// that doesn't work: GitHub reads the pair as an escaped backslash and the end of a cell, so such
// text becomes a <code> element.
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

// Block returns a fenced code block that its content can't end.
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

// Prose escapes the project's own text, which may contain code spans. It escapes backticks that
// don't pair, such as those of a quoted message.
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

// edges escapes the text and keeps a space at either end.
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

// Anchor returns a name as an id and as the end of a link.
func Anchor(s string) string { return unanchored.ReplaceAllString(s, "-") }
