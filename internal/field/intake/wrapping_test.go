package intake

import (
	"bytes"
	"testing"
)

// Whatever a line is, a wrapping takes off a part of it, and never more than there is.
func FuzzWrappings(f *testing.F) {
	for _, seed := range []string{`{"log":"a\n","stream":"stdout"}`, `{"MESSAGE":"a"`, "2026-09-22T10:00:00Z stdout F a", "<134>1 a b c d - e",
		"<190>Sep 22 10:00:00 host nginx: a", "[pod/a/b] c", "a | b", "a[1]: b", "<", "1 ", "{", "Sep 22 10:00:00 ", `{"log":"\u00`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		for _, w := range Wrappings() {
			in, ok := w.Unwrap(line)
			if ok && len(in.Text) > len(line) {
				t.Errorf("%s: %q of %q", w.Inside, in.Text, line)
			}
			if !bytes.Equal(before, line) {
				t.Fatalf("%s changed %q to %q", w.Inside, before, line)
			}
		}
	})
}
