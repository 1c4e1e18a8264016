// Package output has the output formats of the commands for a user's own systems: numbers, wrapped
// text, JSON and commands to paste.
package output

import (
	"encoding/json"
	"io"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

// JSON writes a document as indented JSON.
func JSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// Digits formats a value with three significant digits: the estimates are not more precise.
func Digits(v float64) string { return text.Digits(v, 3) }

// Percent formats a share as a percentage.
func Percent(share float64) string { return Digits(share*100) + " %" }

// Lasting formats a duration in seconds for people, with so many significant digits.
func Lasting(s float64, digits int) facts.Text {
	switch {
	case s < 1:
		return facts.Verbatim(text.Digits(s*1000, digits) + " ms")
	case s < 120:
		return facts.Verbatim(text.Digits(s, digits) + " s")
	case s < 2*3600:
		return facts.T("logs.minutes", text.Digits(s/60, digits))
	}
	return facts.Verbatim(text.Digits(s/3600, digits) + " h")
}
