package decode

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every verb of the program loads this package: nothing may be compiled before a text is read.
func TestNothingIsCompiledAtStart(t *testing.T) {
	atStart := regexp.MustCompile(`(?m)^(?:var |\t)\w+(?:, \w+)*\s*= regexp\.MustCompile`)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err != nil {
			t.Error(err)
		} else if !strings.HasSuffix(f, "_test.go") && atStart.Match(b) {
			t.Errorf("%s compiles %q when the program starts; use lazily", f, atStart.Find(b))
		}
	}
}
