package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/facts"
)

func TestWhatIsMissingIsSaidInWords(t *testing.T) {
	cell := func(topology string, indices ...int) facts.Cell {
		c := facts.Cell{Topology: topology, Protocol: facts.H2, Client: facts.GoOnce}
		for _, i := range indices {
			c.Trials = append(c.Trials, facts.Trial{Index: i})
		}
		return c
	}
	r := &facts.Result{
		Run: facts.Run{Trials: 3, Interrupted: true,
			Planned: []string{"a.h2.go-once", "b.h2.go-once", "c.h2.go-once", "d.h2.go-once", "e.h2.go-once"}},
		Cells: []facts.Cell{cell("a", 1, 2, 3), cell("b", 1, 3), cell("c"), {
			Topology:    "d",
			Protocol:    facts.H2,
			Client:      facts.GoOnce,
			Unsupported: "nginx is too old",
		}}}
	want := []string{
		"the run was interrupted before its last trial",
		"cell b.h2.go-once has 2 of its 3 trials (without [2])",
		"cell c.h2.go-once has none of its 3 trials",
		"cell e.h2.go-once is missing, with all of its 3 trials",
	}
	if diff := cmp.Diff(want, Missing(r)); diff != "" {
		t.Error(diff)
	}
	whole := &facts.Result{
		Run:   facts.Run{Trials: 3, Planned: []string{"a.h2.go-once"}},
		Cells: []facts.Cell{cell("a", 3, 1, 2)},
	}
	if got := Missing(whole); len(got) != 0 {
		t.Errorf("of a whole run %q is missing", got)
	}
}

func TestTheLinkPointsAtTheNewestRun(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"one", "two", "two"} {
		write(t, filepath.Join(dir, id), sample())
		labtest.Check(t, Link(dir, id))
		if got, err := os.Readlink(filepath.Join(dir, Latest)); err != nil || got != id {
			t.Errorf("latest points at %q (%v), want %q", got, err, id)
		}
	}
	if names, _ := os.ReadDir(dir); len(names) != 3 {
		t.Errorf("left behind %v", names)
	}
	for _, id := range []string{"", ".", "..", "a/b", "/etc", Latest} {
		if err := Link(dir, id); err == nil {
			t.Errorf("%q was linked", id)
		}
	}
	taken := t.TempDir()
	labtest.Check(t, os.Mkdir(filepath.Join(taken, Latest), 0o700))
	if err := Link(taken, "one"); err == nil || !strings.Contains(err.Error(), "mv ") {
		t.Errorf("a directory called latest: %v", err)
	}
}

func TestTimelinesGoOutAndIn(t *testing.T) {
	dir := t.TempDir()
	s := facts.Series{
		TMS:      []float64{-100, 0, 100},
		Accepted: []int64{0, 60, 61},
		Source:   map[string]string{"accepted": "accepts"},
	}
	rel := filepath.Join("cells", "a.h2.go-once", "1", "series.json")
	labtest.Check(t, WriteSeries(dir, rel, s))
	got, err := ReadSeries(dir, rel)
	s.Requests = []int64{}
	if diff := cmp.Diff(s, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for rel, says := range map[string]string{"../x.json": "lies outside", "/etc/passwd": "lies outside",
		"": "lies outside", "none.json": "is not there"} {
		if _, err := ReadSeries(dir, rel); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("reading %q: %v", rel, err)
		}
	}
	if err := WriteSeries(dir, "../x.json", s); err == nil {
		t.Error("a timeline was written outside of its run")
	}
	for _, bad := range []string{`{"t_ms":[1,2],"accepted":[1],"requests":[]}`, `{"t_ms":"now"}`} {
		labtest.Write(t, filepath.Join(dir, "bad.json"), bad)
		if _, err := ReadSeries(dir, "bad.json"); err == nil || !strings.Contains(err.Error(), "is no timeline") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
