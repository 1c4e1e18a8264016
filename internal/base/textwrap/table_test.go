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
