package text

import (
	"bytes"
	"io"
	"testing"
	"unicode/utf16"
)

// marked is a text as Windows PowerShell 5.1 redirects it to a file.
func marked(s string) []byte {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(s)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

func TestATextOfPowerShellIsReadAsUTF8(t *testing.T) {
	const want = "worker_processes 1; # é 中 😀\r\n"
	big := []byte{0xfe, 0xff, 0, 'a'}
	for name, c := range map[string]struct {
		in   []byte
		want string
	}{
		"UTF-16, little-endian": {marked(want), want},
		"UTF-16, big-endian":    {big, "a"},
		"UTF-8 with a mark":     {[]byte("\xef\xbb\xbf" + want), want},
		"UTF-8":                 {[]byte(want), want},
		"no text":               {[]byte{0xc3, 0x28, 0}, "\xc3\x28\x00"},
		"nothing":               {nil, ""},
		"cut in the middle":     {marked("ab")[:5], "a\ufffd"},
	} {
		got, err := io.ReadAll(UTF8(bytes.NewReader(c.in)))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// nginx takes a mark of UTF-8 for a part of the first directive, and lint must see the same.
func TestOnlyUTF16IsChangedInMemory(t *testing.T) {
	for in, want := range map[string]string{string(marked("a b")): "a b", "\xef\xbb\xbfa": "\xef\xbb\xbfa", "a": "a", "": ""} {
		if got := FromUTF16([]byte(in)); string(got) != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}
