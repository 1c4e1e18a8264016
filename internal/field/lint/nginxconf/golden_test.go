package nginxconf

import (
	"bytes"
	"flag"
	"h2lab/internal/base/texts"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

var update = flag.Bool("update", false, "write the golden files again")

var versionLine = regexp.MustCompile(`^# version (\S+)`)

// corpus returns every configuration of testdata/corpus with the version that its first line names.
func corpus(t testing.TB) map[string]lint.Options {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.conf")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files in the corpus, %v", len(files), err)
	}
	out := map[string]lint.Options{}
	for _, f := range files {
		o := lint.Options{}
		if m := versionLine.FindSubmatch(read(t, f)); m != nil {
			o.Version = string(m[1])
		}
		out[filepath.ToSlash(f)] = o
	}
	return out
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	return []byte(labtest.Read(t, name))
}

func TestCorpus(t *testing.T) {
	for name, o := range corpus(t) {
		golden(t, name, o, "testdata/golden/"+strings.TrimSuffix(filepath.Base(name), ".conf")+".txt")
	}
}

// The lab's own configurations are linted as a user does it, without a version.
func TestTheLabsOwn(t *testing.T) {
	files, _ := filepath.Glob("../../../../nginx/*.conf")
	if len(files) < 4 {
		t.Fatalf("only %d configurations in nginx/", len(files))
	}
	for _, name := range files {
		golden(t, filepath.ToSlash(name), lint.Options{}, "testdata/golden/lab-"+strings.TrimSuffix(filepath.Base(name), ".conf")+".txt")
	}
}

func golden(t *testing.T, name string, o lint.Options, want string) {
	t.Helper()
	r, err := Lint([]lint.File{{Name: name, Data: read(t, name)}}, o)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	var b bytes.Buffer
	lint.Text(&b, texts.English, nil, name, r)
	if *update {
		if err := os.WriteFile(want, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(read(t, want)), b.String()); diff != "" {
		t.Errorf("%s (write it again with -update, and look at it):\n%s", want, diff)
	}
}

// Every rule has a configuration in the corpus that breaks it; without one, the rule would be
// untested.
func TestEveryRuleIsBrokenSomewhereInTheCorpus(t *testing.T) {
	broken := map[string]bool{}
	for name, o := range corpus(t) {
		r, err := Lint([]lint.File{{Name: name, Data: read(t, name)}}, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			broken[f.Rule] = true
		}
	}
	for _, r := range Rules {
		if !broken[r.ID] {
			t.Errorf("no configuration breaks %s", r.ID)
		}
		if r.Title == "" || r.Help == "" || r.Docs == "" {
			t.Errorf("%s lacks words", r.ID)
		}
	}
}

// Every rule is in the file of its name.
func TestEveryRuleHasItsVariableInAFileOfItsOwn(t *testing.T) {
	files, _ := filepath.Glob("rule_*.go")
	var all strings.Builder
	for _, f := range files {
		all.Write(read(t, f))
	}
	for _, r := range Rules {
		if strings.Count(all.String(), `ID: "`+r.ID+`"`) != 1 {
			t.Errorf("%s isn't in one rule_*.go", r.ID)
		}
	}
}
