package accesslog

import (
	"bytes"
	"testing"
	"time"

	"h2lab/internal/field/cure"
)

// Whatever a line is, a wrapping takes off a part of it, and never more than there is.
func FuzzWrappings(f *testing.F) {
	for _, seed := range []string{`{"log":"a\n","stream":"stdout"}`, `{"MESSAGE":"a"`, "2026-09-22T10:00:00Z stdout F a", "<134>1 a b c d - e",
		"<190>Sep 22 10:00:00 host nginx: a", "[pod/a/b] c", "a | b", "a[1]: b", "<", "1 ", "{", "Sep 22 10:00:00 ", `{"log":"\u00`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		for _, w := range wrappings {
			inner, _, ok := w.unwrap(line)
			if ok && len(inner) > len(line) {
				t.Errorf("%s: %q of %q", w.name, inner, line)
			}
			if !bytes.Equal(before, line) {
				t.Fatalf("%s changed %q to %q", w.name, before, line)
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
		"logcli":    {`2026-09-22T10:00:00Z {app="a"} b`, "b", `{app="a"`},
		"stern":     {"web-7 nginx a", "a", "web-7 nginx"},
		"aws logs":  {"2026-09-22T10:00:00Z web/7 a", "a", "web/7"},
		"timestamp": {"2026-09-22T10:00:00.123456789Z a", "a", ""},
	} {
		for _, w := range wrappings {
			if inner, host, ok := w.unwrap([]byte(c.line)); ok {
				if string(inner) != c.inner || string(host) != c.host {
					t.Errorf("%s: %q of %q in %s", name, inner, host, w.name)
				}
				break
			}
		}
	}
}

// A line that CRI has cut is one line.
func TestPartsOfALineAreJoined(t *testing.T) {
	w := world{length: mins, limit: 100, crowds: []crowd{{n: 3, agent: goClient, every: 75 * time.Millisecond}}}
	lines := w.run()
	cri := written("ISO stdout ")
	log := text(lines, func(r request) string {
		if line := asCombined(r); r.ordinal%9 == 4 {
			return cri(r) + "P " + line[:40] + "\n" + cri(r) + "P " + line[40:60] + "\n" + cri(r) + "F " + line[60:]
		}
		return cri(r) + "F " + asCombined(r)
	})
	check(t, "CRI in parts", log, len(lines), cure.Nginx)
}
