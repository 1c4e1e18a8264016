package ingressconf

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/field/lint"
)

var update = flag.Bool("update", false, "write the goldens anew")

// options are the options of the corpus files that need some.
var options = map[string]lint.Options{"old.json": {Version: "1.5.1"}, "umbrella.yaml": {InFlight: 10}}

// corpus returns the files of testdata.
func corpus(t testing.TB) []lint.File {
	t.Helper()
	var files []lint.File
	for _, pattern := range []string{"testdata/corpus/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files (%v)", pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, lint.File{Name: filepath.Base(name), Data: data})
		}
	}
	return files
}

func TestTheCorpusIsJudgedAsTheGoldensSay(t *testing.T) {
	fired := map[string]bool{}
	for _, f := range corpus(t) {
		t.Run(f.Name, func(t *testing.T) {
			r, err := Lint([]lint.File{f}, options[f.Name])
			for _, finding := range r.Findings {
				fired[finding.Rule] = true
			}
			got := said(t, r, err)
			golden := filepath.Join("testdata", "golden", f.Name+".json")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("go test -update writes the golden anew (-want +got):\n%s", diff)
			}
		})
	}
	for _, rule := range Rules {
		if !fired[rule.ID] {
			t.Errorf("no file of the corpus breaks %s", rule.ID)
		}
	}
}

// said returns the output of lint: the report, or the error.
func said(t testing.TB, r lint.Report, err error) string {
	t.Helper()
	var syntax *lint.SyntaxError
	if errors.As(err, &syntax) {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %q", err)
		}
		return err.Error() + "\n"
	}
	if err != nil {
		t.Fatalf("not a SyntaxError: %v", err)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}
