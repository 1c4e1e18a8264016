package labtest

import (
	"strings"
	"unicode/utf16"
)

// CRLF is a text with the line ends of Windows.
func CRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// PowerShell is a text as Windows PowerShell 5.1 redirects it to a file: UTF-16 with a byte order mark.
func PowerShell(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(CRLF(text))) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}
