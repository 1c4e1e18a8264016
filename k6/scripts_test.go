package k6

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sources returns all scripts with their text.
func sources(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.js", "lib/*.js"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			out[f] = string(b)
		}
	}
	if len(out) < 6 {
		t.Fatalf("only %d scripts found", len(out))
	}
	return out
}

var imported = regexp.MustCompile(`(?m)from '([^']+)'`)

func TestScriptsAreShortVerifyAndImportNothingButK6AndEachOther(t *testing.T) {
	for file, text := range sources(t) {
		for _, m := range imported.FindAllStringSubmatch(text, -1) {
			from := m[1]
			if from == "k6" || strings.HasPrefix(from, "k6/") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), from)); !strings.HasPrefix(from, "./") || err != nil {
				t.Errorf("%s imports %s, which is neither k6's nor a file beside it", file, from)
			}
		}
		if strings.Contains(text, "insecureSkipTLSVerify") {
			t.Errorf("%s: certificates are verified, always", file)
		}
		if n := strings.Count(text, "\n"); n > 300 {
			t.Errorf("%s has %d lines, more than 300", file, n)
		}
	}
}

func TestTheUsualScriptSaysThatItHidesTheFault(t *testing.T) {
	head, _, _ := strings.Cut(sources(t)["connection-per-vu.js"], "import ")
	for _, want := range []string{"hides the fault", "shared-pool.js", "transport of its own"} {
		if !strings.Contains(head, want) {
			t.Errorf("the head of connection-per-vu.js does not say %q", want)
		}
	}
}
