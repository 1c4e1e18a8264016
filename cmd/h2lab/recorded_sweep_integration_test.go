//go:build integration

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/report/mattersreport"
	"h2lab/internal/report/sweepreport"
	"h2lab/internal/report/translations"
)

// docs/callers.md is the page of the recorded sweep, docs/when-it-matters.md that of the recorded map: the page and its
// run are both there or neither.
func TestDocsShowTheRecordedSweeps(t *testing.T) {
	for name, build := range map[string]func(*facts.Result, translations.Language) ([]byte, error){
		"sweep": func(r *facts.Result, l translations.Language) ([]byte, error) {
			b, err := sweepreport.Build(sweepreport.Input{Result: r, Language: l,
				Charts: "../testdata/recorded/sweep/charts/", English: "callers.md"})
			return b.Files[sweepreport.Name(l)], err
		},
		"matters": func(r *facts.Result, l translations.Language) ([]byte, error) {
			b, err := mattersreport.Build(mattersreport.Input{Result: r, Language: l,
				Charts: "../testdata/recorded/matters/charts/", English: "when-it-matters.md"})
			return b.Files[mattersreport.Name(l)], err
		},
	} {
		_, missing := os.Stat(filepath.Join(recordedRuns, name))
		for _, language := range []translations.Language{translations.English, translations.Chinese} {
			page := map[string]string{"sweep": "../../docs/callers", "matters": "../../docs/when-it-matters"}[name] +
				map[translations.Language]string{translations.English: ".md", translations.Chinese: ".zh.md"}[language]
			if errors.Is(missing, fs.ErrNotExist) {
				if _, err := os.Stat(page); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s shows a run that isn't in testdata/recorded: %v", page, err)
				}
				continue
			}
			want, err := build(recorded(t, name), language)
			labtest.Check(t, err)
			samePage(t, page, want)
		}
	}
}

// samePage compares a page of docs with what is drawn now, or accepts it.
func samePage(t *testing.T, page string, want []byte) {
	t.Helper()
	if *update {
		labtest.Write(t, page, string(want))
	}
	got, err := os.ReadFile(page)
	labtest.Check(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not the page of the recorded run: make golden, then read the diff", page)
	}
}

func TestRecordedRunsAreDrawnAgainByteForByte(t *testing.T) {
	dirs, _ := filepath.Glob(filepath.Join(recordedRuns, "*"))
	if len(dirs) < 2 {
		t.Fatalf("recorded runs %q, want a repro and a fixed at least", dirs)
	}
	drawnAgain(t, dirs...)
}
