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
		for _, w := range Wrappings {
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

// What stands around a line is no part of it.
func TestWrappings(t *testing.T) {
	for name, c := range map[string]struct{ line, inner, host string }{
		"docker":    {`{"log":"a \"b\"\n","stream":"stdout","time":"2026-09-22T10:00:00Z"}`, `a "b"`, ""},
		"journald":  {`{"_HOSTNAME":"web1","MESSAGE":"a"}`, "a", "web1"},
		"RFC 5424":  {"<134>1 2026-09-22T10:00:00Z web1 nginx 7 - - a: b", "a: b", "web1"},
		"RFC 3164":  {"<134>Sep  2 10:00:00 web1 nginx: a", "a", "web1"},
		"no host":   {"Sep 22 10:00:00 nginx: a", "a", ""},
		"journal":   {"Sep 22 10:00:00 web1 nginx[7]: a", "a", "web1"},
		"kubectl":   {"[pod/web-7/nginx] a", "a", "web-7"},
		"compose":   {"web-1  | a", "a", "web-1"},
		"CRI":       {"2026-09-22T10:00:00.123456789+02:00 stdout F a", "a", ""},
		"timestamp": {"2026-09-22T10:00:00.123456789Z a", "a", ""},
	} {
		for _, w := range Wrappings {
			if in, ok := w.Unwrap([]byte(c.line)); ok {
				if string(in.Text) != c.inner || string(in.Host) != c.host {
					t.Errorf("%s: %q of %q in %s", name, in.Text, in.Host, w.Inside)
				}
				break
			}
		}
	}
}
