package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/report/sweepreport"
	"h2lab/internal/report/translations"
)

// docs/callers.md is the page of the recorded sweep: both are there or neither.
func TestDocsShowTheRecordedSweep(t *testing.T) {
	_, missing := os.Stat(filepath.Join(recordedRuns, "sweep"))
	for page, language := range map[string]translations.Language{"../../docs/callers.md": translations.English,
		"../../docs/callers.zh.md": translations.Chinese} {
		if errors.Is(missing, fs.ErrNotExist) {
			if _, err := os.Stat(page); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s shows a sweep that isn't in testdata/recorded: %v", page, err)
			}
			continue
		}
		built, err := sweepreport.Build(sweepreport.Input{Result: recorded(t, "sweep"), Language: language,
			Charts: "../testdata/recorded/sweep/charts/", English: "callers.md"})
		if err != nil {
			t.Fatal(err)
		}
		want := built.Files[sweepreport.Name(language)]
		if *update {
			if err := os.WriteFile(page, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not the page of the recorded run: make golden, then read the diff", page)
		}
	}
}
