package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"one two three", 7, []string{"one two", "three"}},
		{"  one \n two ", 20, []string{"one two"}},
		{"averylongword a", 4, []string{"averylongword", "a"}},
		{"naïve café crème", 10, []string{"naïve café", "crème"}},
		{"连接在服务器端统计", 8, []string{"连接在服", "务器端统", "计"}},
		{"浪费了 99 %，因为", 10, []string{"浪费了 99", "%，因为"}},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
	if got := Wrap(strings.Repeat("x", 10_000), 80); len(got) != 1 || Columns(got[0]) != longestWord+1 {
		t.Errorf("a word without an end: %d lines, the first of %d columns", len(got), Columns(got[0]))
	}
}

func TestHanging(t *testing.T) {
	for _, c := range []struct{ first, rest, text, want string }{
		{"note: ", "  ", "one two three four", "note: one two\n  three four"},
		{"label   ", "", "", "label"},
		{"", "", "one", "one"},
		{"a label as wide as a line  ", "  ", "one two", "a label as wide as a line  one\n  two"},
	} {
		if got := Hanging(c.first, c.rest, c.text, 14); got != c.want {
			t.Errorf("%q: %q, want %q", c.first, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"as it is", 8, "as it is"},
		{"as it is", 7, "as it …"},
		{"one\n\t two\x1b[31m\x00three", 40, `one two\u001b[31m\u0000three`},
		{"\u202eright\u2066 to left\ufeff", 60, `\u202eright\u2066 to left\ufeff`},
		{"not \xff UTF-8", 40, "not \ufffd UTF-8"},
		{"服务器端", 2, "服…"},
		{"ends in space ", 13, "ends in space"},
	} {
		if got := ClipLine(c.text, c.most); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func TestATableCountsColumnsAndNotCharacters(t *testing.T) {
	for _, c := range []struct {
		table      func(io.Writer) Table
		text, want string
	}{
		{NewTable, "名称\tx\tend\na\t中文 b\t完\nabcdef\t\t\n", "名称    x       end\na       中文 b  完\nabcdef          \n"},
		{RightTable, "上限\t每秒\t\n1000\t1\t\n", "  上限  每秒\n  1000     1\n"},
	} {
		var out strings.Builder
		w := c.table(&out)
		fmt.Fprint(w, c.text)
		if err := w.Flush(); err != nil || out.String() != c.want {
			t.Errorf("%q, want %q (%v)", out.String(), c.want, err)
		}
	}
}

func TestPadCountsColumns(t *testing.T) {
	for _, c := range []struct{ in, want string }{{"下一步", "下一步  "}, {"next", "next    "}, {"123456789", "123456789"}} {
		if got := Pad(c.in, 8); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
