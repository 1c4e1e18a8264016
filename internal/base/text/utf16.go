package text

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

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
func UTF8(r io.Reader) io.Reader { return transform.NewReader(r, unicode.BOMOverride(transform.Nop)) }

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
