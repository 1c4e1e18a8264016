package nginxconf

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docs/lint.md lists every rule.
func TestTheDocsListEveryRule(t *testing.T) {
	const page, begin, end = "../../../../docs/lint.md", "<!-- nginx rules -->\n", "<!-- end -->"
	text := string(read(t, page))
	before, rest, ok := strings.Cut(text, begin)
	written, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the rules", page)
	}
	want := "| rule | severity | |\n|---|---|---|\n"
	for _, r := range Rules {
		want += fmt.Sprintf("| `%s` | %s | %s |\n", r.ID, r.Severity, r.Title)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, written); diff != "" {
		t.Errorf("%s (write it again with -update):\n%s", page, diff)
	}
}

// The table of defaults in docs/lint.md matches the code.
func TestTheDefaultsOfEachRelease(t *testing.T) {
	for _, c := range []struct{ version, limit, idle, age string }{
		{"1.10.3", "no limit", "180s", "never"},
		{"1.11.5", "no limit", "180s", "never"},
		{"1.11.6", "1000", "180s", "never"},
		{"1.19.6", "1000", "180s", "never"},
		{"1.19.7", "100", "75s", "never"},
		{"1.19.9", "100", "75s", "never"},
		{"1.19.10", "1000", "75s", "1h"},
		{"1.20.0", "1000", "75s", "1h"},
		{"1.31.4", "1000", "75s", "1h"},
	} {
		r, err := lintText("events {} http { server { listen 443 ssl http2; } }", c.version)
		if err != nil || len(r.Listeners) != 1 {
			t.Fatalf("%v %+v", err, r)
		}
		l := r.Listeners[0]
		if l.Limit.String() != c.limit || l.Idle.String() != c.idle || l.Age.String() != c.age {
			t.Errorf("%s: %s %s %s", c.version, l.Limit, l.Idle, l.Age)
		}
	}
}
