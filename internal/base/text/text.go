// Package text makes text from files, servers and logs safe to print (this file), formats numbers with the same
// rules in both languages (numbers.go), fits text to a terminal (wrap.go), and quotes and corrects words (words.go).
//
// A terminal executes control characters: ESC and C1 sequences (ECMA-48) move the cursor, change
// the title and erase lines; CR and BS overwrite earlier output. Bidirectional overrides (Unicode
// UAX #9) and invisible characters make a text look different from its bytes (CVE-2021-42574). The
// package replaces every such character with its JSON escape, \u001b for ESC, so that a JSON
// document keeps its meaning.
package text

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	encoding "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
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

// escaper writes a text with escapes in place of unsafe characters. CR LF, a line end on other systems, stays.
type escaper struct{ transform.NopResetter }

// Transform implements transform.Transformer.
func (escaper) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	var room [12]byte
	for nSrc < len(src) {
		rest := src[nSrc:]
		if !atEOF && (!utf8.FullRune(rest) || len(rest) == 1 && rest[0] == '\r') {
			return nDst, nSrc, transform.ErrShortSrc
		}
		r, n := utf8.DecodeRune(rest)
		out := room[:0]
		switch {
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			out, n = append(out, "\r\n"...), 2
		case safe(r): // includes U+FFFD for invalid UTF-8
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, escaped(r)...)
		}
		if nDst+len(out) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst, nSrc = nDst+copy(dst[nDst:], out), nSrc+n
	}
	return nDst, nSrc, nil
}

// Clean replaces unsafe characters in s with escapes. It keeps newlines and tabs, drops CR before a
// newline, and replaces invalid UTF-8 with U+FFFD.
func Clean(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), string(unicode.ReplacementChar))
	if !strings.ContainsFunc(s, func(r rune) bool { return !safe(r) }) {
		return s
	}
	s, _, _ = transform.String(escaper{}, s) // it has no errors of its own
	return s
}

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

// Writer writes text to another writer and escapes everything that a terminal would execute.
// Several goroutines may use it.
type Writer struct {
	mu  sync.Mutex
	to  io.Writer
	out *transform.Writer
}

// NewWriter makes a Writer. Close it, or an incomplete rune at the end is lost.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to, out: transform.NewWriter(to, escaper{})} }

// Unwrap is the underlying writer: for the program's own colours and for the output of programs
// that clean it themselves.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Raw is the underlying writer of a Writer, or w itself.
func Raw(w io.Writer) io.Writer {
	if x, ok := w.(*Writer); ok {
		return x.Unwrap()
	}
	return w
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close writes the kept bytes; it doesn't close the underlying writer.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Close()
}

// CleanAll is a copy of v in which every string, including map keys, is Clean.
func CleanAll[T any](v T) T { return Map(v, Clean) }

// Map is a copy of v with every string changed. It walks the types by reflection, so that it also
// covers fields added later.
func Map[T any](v T, change func(string) string) T {
	return mapped(reflect.ValueOf(&v).Elem(), change).Interface().(T)
}

func mapped(v reflect.Value, change func(string) string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(change(v.String()))
		return out
	case reflect.Struct:
		out.Set(v) // keeps unexported fields, as time.Time's
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(mapped(v.Field(i), change))
			}
		}
		return out
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() <= reflect.Complex128 { // numbers
			return v
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(mapped(v.Index(i), change))
		}
		return out
	case reflect.Map:
		return mappedMap(v, change)
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(mapped(v.Elem(), change))
		}
		return out
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(mapped(v.Elem(), change))
		}
		return out
	}
	return v
}

func mappedMap(v reflect.Value, change func(string) string) reflect.Value {
	if v.IsNil() {
		return v
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for _, k := range v.MapKeys() {
		out.SetMapIndex(mapped(k, change), mapped(v.MapIndex(k), change))
	}
	return out
}

// Marked reports whether a text begins with a byte order mark.
func Marked(begin []byte) bool {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\xef\xbb\xbf"} {
		if bytes.HasPrefix(begin, []byte(mark)) {
			return true
		}
	}
	return false
}

// UTF8 returns a text as UTF-8 without its byte order mark. Windows PowerShell 5.1 writes UTF-16 when it
// redirects a program's output to a file (about_Character_Encoding). A text without a mark is unchanged.
func UTF8(r io.Reader) io.Reader { return transform.NewReader(r, encoding.BOMOverride(transform.Nop)) }

// FromUTF16 is UTF8 for a text in memory that begins with the mark of UTF-16.
func FromUTF16(data []byte) []byte {
	if !Marked(data) || data[0] == 0xef {
		return data
	}
	out, err := io.ReadAll(UTF8(bytes.NewReader(data)))
	if err != nil {
		return data
	}
	return out
}
