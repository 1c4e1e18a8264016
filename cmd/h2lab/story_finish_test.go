package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

// storyEnds runs the end of the command on an invented story.
func storyEnds(t *testing.T, r *facts.Result, err error, whole bool) (terminal, dir string, status int) {
	t.Helper()
	at := t.TempDir()
	dir = filepath.Join(at, r.Run.ID)
	labtest.Check(t, results.Write(dir, r))
	var out bytes.Buffer
	ended := (&app{ctx: t.Context(), root: at, stdout: &out, stderr: &out}).finishStory(dir, err, whole)
	return out.String(), dir, exitstatus.Of(ended)
}

func TestTheEndOfAStoryShowsItsPageAndItsVerdict(t *testing.T) {
	terminal, dir, status := storyEnds(t, labtest.Story("envoy", 6), nil, true)
	if status != exitstatus.Done || !strings.Contains(terminal, "100 users got 817 requests/s") ||
		!strings.Contains(terminal, "story.md") {
		t.Errorf("status %d:\n%s", status, terminal)
	}
	for _, name := range []string{"story.md", "story.html", "story.zh.md", "story.zh.html", "verdicts.json",
		"charts/story-goodput-light.svg", "charts/story-p99-dark.svg"} {
		if s, err := os.Stat(filepath.Join(dir, name)); err != nil || s.Size() < 500 {
			t.Errorf("%s: %v", name, err)
		}
	}
	valid(t, dir)
	for _, page := range []string{"story.html", "story.zh.html"} {
		if n := strings.Count(labtest.Read(t, filepath.Join(dir, page)), "data-raw="); n < 100 {
			t.Errorf("%s: %d numbers have a source", page, n)
		}
	}
}

func TestAStoryThatShowsTheContraryEndsWith4(t *testing.T) {
	without := labtest.Story("envoy", 6)
	without.Cells[0].Trials = without.Cells[2].Trials // as without the reverse proxy
	for _, c := range []struct {
		name  string
		err   error
		whole bool
		want  int
	}{
		{"whole", nil, true, exitstatus.Contradicted},
		{"some cells", nil, false, exitstatus.Done},
		{"a run that failed", errors.New("nginx-1000-envoy ended"), true, exitstatus.Failed},
	} {
		if terminal, _, status := storyEnds(t, without, c.err, c.whole); status != c.want ||
			!strings.Contains(terminal, "story.md") {
			t.Errorf("%s: status %d, want %d:\n%s", c.name, status, c.want, terminal)
		}
	}
}

// An interrupted story still has a page, which says what is missing.
func TestAnInterruptedStoryHasItsPage(t *testing.T) {
	r := labtest.Story("scg", 6)
	r.Run.Interrupted, r.Cells = true, r.Cells[:2]
	r.Cells[1].Trials = r.Cells[1].Trials[:1]
	terminal, dir, _ := storyEnds(t, r, errors.New("interrupted"), true)
	for _, text := range []string{terminal, labtest.Read(t, filepath.Join(dir, "story.md"))} {
		if !strings.Contains(text, "was interrupted") || !strings.Contains(strings.Join(strings.Fields(text), " "),
			"9 of 10 planned cells are incomplete") {
			t.Errorf("the gaps are not named:\n%.900s", text)
		}
	}
}
