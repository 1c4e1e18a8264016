package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// safe reports whether a terminal prints r and does nothing else. Newline and tab are safe; use
// Line where one line is needed.
func safe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case r < 0x7f:
		return r >= ' '
	case r < 0xa0: // DEL and the C1 controls
		return false
	}
	return !unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// escaped is r as JSON escapes it (RFC 8259 §7).
func escaped(r rune) string {
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Clean replaces unsafe characters in s with escapes. It keeps newlines and tabs, drops CR before a
// newline, and replaces invalid UTF-8 with U+FFFD.
func Clean(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), string(unicode.ReplacementChar))
	if strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if safe(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(escaped(r))
		}
	}
	return b.String()
}

func unsafe(r rune) bool { return !safe(r) }

// Line is Clean on one line: any white space becomes one space.
func Line(s string) string { return Clean(strings.Join(strings.Fields(s), " ")) }

// Clip shortens s to so many characters and ends it with an ellipsis.
func Clip(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// Capital returns a sentence's or a name's text with its first letter in upper case.
func Capital(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	return strings.ToUpper(string(r[0])) + string(r[1:])
}
