// Package output is how the field verbs print: figures, wrapped text, JSON and commands to paste.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"h2lab/internal/base/numfmt"
)

// JSON writes a document for people and programs.
func JSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// Digits is a figure with its three significant digits; more would promise
// what estimates don't keep.
func Digits(v float64) string { return numfmt.Digits(v, 3) }

// Percent is a share in percent.
func Percent(share float64) string { return Digits(share*100) + " %" }

// Some is a number of things: "1 core", "2 cores".
func Some[N int | float64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%v %ss", n, thing)
}

// ShellWord quotes a word for a shell where it needs it.
func ShellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
