package main

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// between compares the text between two markers of a page, or with -update writes it.
func between(t *testing.T, page, name, want string) {
	t.Helper()
	b := labtest.Read(t, page)
	begin, end := "<!-- "+name+": drawn by a test -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(b, begin)
	was, after, found2 := strings.Cut(rest, end)
	if !found || !found2 {
		t.Fatalf("%s has no place for %s", page, name)
	}
	if was == want {
		return
	}
	if !*update {
		t.Errorf("%s: %s is not what is drawn now; look at it (make golden), then commit it:\n%s", page, name, want)
		return
	}
	labtest.Write(t, page, before+begin+want+end+after)
}
