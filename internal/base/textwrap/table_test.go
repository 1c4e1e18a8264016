package textwrap

import (
	"fmt"
	"strings"
	"testing"
)

func TestATableCountsColumnsAndNotCharacters(t *testing.T) {
	var out strings.Builder
	w := NewTable(&out)
	fmt.Fprint(w, "名称\tx\tend\n", "a\t中文 b\t完\n", "abcdef\t\t\n")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "名称    x       end\na       中文 b  完\nabcdef          \n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestATableOnTheRightCountsColumns(t *testing.T) {
	var out strings.Builder
	w := RightTable(&out)
	fmt.Fprint(w, "上限\t每秒\t\n", "1000\t1\t\n")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "  上限  每秒\n  1000     1\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestPadCountsColumns(t *testing.T) {
	for _, c := range []struct{ in, want string }{{"下一步", "下一步  "}, {"next", "next    "}, {"123456789", "123456789"}} {
		if got := Pad(c.in, 8); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
