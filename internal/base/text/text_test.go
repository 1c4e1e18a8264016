package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

// shown maps texts to what a terminal may get of them.
var shown = map[string]string{
	"plain, 中文 and é\tstay\n":                  "plain, 中文 and é\tstay\n",
	"\x1b[31mred\x1b[0m":                       `\u001b[31mred\u001b[0m`,
	"\x1b]0;title\a":                           `\u001b]0;title\u0007`,
	"done\rover":                               `done\u000dover`,
	"back\b\b\b":                               `back\u0008\u0008\u0008`,
	"c1 \u009b31m and del \x7f":                `c1 \u009b31m and del \u007f`,
	"\u202egnp.exe\u202c \u2066x\u2069":        `\u202egnp.exe\u202c \u2066x\u2069`,
	"zero\u200bwidth\ufeff\u00ad":              `zero\u200bwidth\ufeff\u00ad`,
	"filler \u3164 line \u2028 tag \U000E0041": `filler \u3164 line \u2028 tag \udb40\udc41`,
	"no utf-8 \xff\xfe":                        "no utf-8 \ufffd",
	"nul \x00":                                 `nul \u0000`,
}

func TestWhatATerminalWouldObeyIsShown(t *testing.T) {
	for in, want := range shown {
		if got := Clean(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	if got := Line("  a\r\n\tb  c\x1b "); got != `a b c\u001b` {
		t.Errorf("one line: %q", got)
	}
	if got := Clip("日本語の文字列", 4); got != "日本語…" {
		t.Errorf("clipped to %q", got)
	}
}

func TestAWriterGivesTheSameHoweverItIsFed(t *testing.T) {
	all := "a 日本\r\nb\rc \x1b[1m\u202e\U000E0041 \xff end\xe6\x97"
	want := "a 日本\r\nb\\u000dc \\u001b[1m\\u202e\\udb40\\udc41 \ufffd end\ufffd\ufffd"
	for size := 1; size <= len(all); size++ {
		var b bytes.Buffer
		w := NewWriter(&b)
		for rest := all; rest != ""; {
			n := min(size, len(rest))
			if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
				t.Fatalf("%d of %d bytes written: %v", got, n, err)
			}
			rest = rest[n:]
		}
		labtest.Check(t, w.Close())
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("in pieces of %d bytes:\n%s", size, diff)
		}
	}
}

func TestADocumentThatPassesThroughIsTheSameDocument(t *testing.T) {
	in := map[string]string{"a": "\x1b[2J \u202e \U000E0041 \x7f \u2028", "b\u200b": "日本"}
	data, err := json.Marshal(in)
	labtest.Check(t, err)
	var b bytes.Buffer
	if _, err := NewWriter(&b).Write(data); err != nil {
		t.Fatal(err)
	}
	var out map[string]string
	labtest.Check(t, json.Unmarshal(b.Bytes(), &out))
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
	if strings.ContainsRune(b.String(), '\u202e') {
		t.Errorf("passed on as it was: %q", b.String())
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestErrorsOfTheWriterBehindArePassedOn(t *testing.T) {
	w := NewWriter(brokenPipe{})
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("no error")
	}
	if Raw(w) != (brokenPipe{}) || Raw(brokenPipe{}) != (brokenPipe{}) {
		t.Error("the writer behind is another one")
	}
}

func TestEveryStringOfAValueIsCleaned(t *testing.T) {
	type leaf struct {
		S  string
		At time.Time
		N  *int
	}
	type tree struct {
		Leaves []leaf
		By     map[string]leaf
		One    *leaf
		Any    any
		None   []leaf
		Nums   []float64
	}
	n := 3
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	bad := leaf{"\x1b", at, &n}
	in := tree{[]leaf{bad}, map[string]leaf{"\u202e": bad}, &bad, bad, nil, []float64{1}}
	good := leaf{`\u001b`, at, &n}
	want := tree{[]leaf{good}, map[string]leaf{`\u202e`: good}, &good, good, nil, []float64{1}}
	if diff := cmp.Diff(want, CleanAll(in)); diff != "" {
		t.Error(diff)
	}
	if bad.S != "\x1b" || in.Leaves[0].S != "\x1b" {
		t.Error("the value itself was changed")
	}
}

// The output never contains a character that a terminal executes, and is the same however the input
// is split.
func FuzzTerminal(f *testing.F) {
	for in := range shown {
		f.Add(in, 3)
	}
	f.Fuzz(func(t *testing.T, in string, cut int) {
		var whole, pieces bytes.Buffer
		a, b := NewWriter(&whole), NewWriter(&pieces)
		_, _ = a.Write([]byte(in))
		_ = a.Close()
		cut = max(0, min(cut, len(in)))
		_, _ = b.Write([]byte(in[:cut]))
		_, _ = b.Write([]byte(in[cut:]))
		_ = b.Close()
		if whole.String() != pieces.String() {
			t.Errorf("%q cut at %d: %q and %q", in, cut, whole.String(), pieces.String())
		}
		for _, out := range []string{strings.ReplaceAll(whole.String(), "\r\n", "\n"), Clean(in), Line(in)} {
			for _, r := range out {
				if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
					t.Errorf("%q lets %U pass: %q", in, r, out)
				}
			}
		}
	})
}

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
