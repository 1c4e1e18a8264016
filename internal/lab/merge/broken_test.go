package merge

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// broken is something wrong with the logs of four runners of two VUs: with the test before its logs are
// written, or with the first runner's log.
type broken struct {
	name   string
	before func(x *test)
	after  func(log string, b []byte) error
	want   []string
}

// all sets a value in every line of a runner.
func all(x *test, runner int, name string, value any) {
	for _, l := range x.logs[runner] {
		l[name] = value
	}
}

var incomplete = []broken{
	{name: "a runner's log is missing", after: func(log string, _ []byte) error { return os.Remove(log) },
		want: []string{"runner 1 of 4 (segment 0:1/4) has no log", "h2lab merge --partial "}},
	{name: "a runner's log is cut in the middle of a line",
		after: func(log string, b []byte) error { return os.WriteFile(log, b[:len(b)/2], 0o600) },
		want:  []string{"the line at ", "runner-001.log:", "is cut"}},
	{name: "a runner's log lacks a VU", before: func(x *test) { x.logs[1] = x.logs[1][1:] },
		want: []string{"runner 2 of 4 (segment 1/4:2/4) has the tallies of 1 of its 2 VUs in "}},
	{name: "a runner's log lacks its end", before: func(x *test) { x.logs[1] = x.logs[1][:2] },
		want: []string{"runner 2 of 4 (segment 1/4:2/4) has no line of its end in "}},
	{name: "a runner's log has nothing but its end", before: func(x *test) { x.logs[1] = x.logs[1][2:] },
		want: []string{"6 of 8 VUs have a tally"}},
	{name: "the logs have no line of a runner",
		after: func(log string, _ []byte) error {
			others, _ := filepath.Glob(filepath.Join(filepath.Dir(log), "*"))
			for _, name := range others {
				if err := os.WriteFile(name, []byte("x\n"), 0o600); err != nil {
					return err
				}
			}
			return nil
		},
		want: []string{`has no line with "h2lab-tally"`, "TALLY=log"}},
}

var mixed = []broken{
	{name: "a runner had a knob of its own", before: func(x *test) {
		own := maps.Clone(x.knobs)
		own["concurrency"] = 99
		all(x, 0, "knobs", own)
	}, want: []string{"runner-001.log:2 ran with concurrency = 99, ", " with 80", "different tests"}},
	{name: "a runner lacked a knob", before: func(x *test) {
		own := maps.Clone(x.knobs)
		delete(own, "limit")
		all(x, 0, "knobs", own)
	}, want: []string{"runner-001.log:2 ran with limit = <nil>, ", " with 1000"}},
	{name: "a runner ran another script", before: func(x *test) { all(x, 3, "script", "open-loop") },
		want: []string{"runner-004.log:2 is of the script open-loop, ", "of shared-pool"}},
	{name: "a runner had another sequence of segments", before: func(x *test) { all(x, 3, "sequence", "0,1/2,1") },
		want: []string{`runner-004.log:2 has the sequence of segments "0,1/2,1"`}},
	{name: "a segment is not in its sequence", before: func(x *test) { all(x, 3, "segment", "2/4:1") },
		want: []string{`segment "2/4:1" is not in the sequence`}},
	{name: "a runner's log is there twice",
		after: func(log string, b []byte) error {
			return os.WriteFile(filepath.Join(filepath.Dir(log), "copy.log"), b, 0o600)
		},
		want: []string{"runner 1 of 4 (segment 0:1/4) has two logs, at ", "copy.log:2", "runner-001.log:2"}},
	{name: "the lines are of another version", before: func(x *test) { x.logs[0][0]["format"] = 2 },
		want: []string{"runner-001.log:2 has format 2"}},
	{name: "a tally's counts don't add up",
		before: func(x *test) { x.logs[2][0]["tally"].(map[string]any)["succeeded"] = 19 },
		want:   []string{"runner-003.log:2", "19 successes"}},
	{name: "a tally is no object", before: func(x *test) { x.logs[2][0]["tally"] = "x" },
		want: []string{"the tally at ", "runner-003.log:2"}},
	{name: "a tally has a negative number",
		before: func(x *test) { x.logs[2][0]["tally"].(map[string]any)["attempts"] = -5 },
		want:   []string{"runner-003.log:2: ", "has attempts = -5, a negative number"}},
	{name: "a tally lacks a number",
		before: func(x *test) { delete(x.logs[2][0]["tally"].(map[string]any), "failed") },
		want:   []string{"runner-003.log:2: ", "1 of 1 lacks failed"}},
	{name: "a VU's window ends before it begins", before: func(x *test) { shift(x, 1, 0, -11_000) },
		want: []string{"runner-002.log:2: ", "a window that ends before it begins"}},
	{name: "a directory has a large file that is no log",
		after: func(log string, _ []byte) error {
			return os.WriteFile(filepath.Join(filepath.Dir(log), "core"), make([]byte, longestLine+1), 0o600)
		},
		want: []string{"core has a line of more than 16 MiB, which no runner logs; give the logs"}},
	{name: "the logs have the runners' ends only", before: func(x *test) {
		for i := range x.logs {
			x.logs[i] = x.logs[i][2:]
		}
	}, want: []string{"no runner has the tally of a VU"}},
	{name: "the knobs are not those of the scripts", before: func(x *test) { delete(x.knobs, "pools") },
		want: []string{"lacks knobs of the scripts in k6/"}},
}

func TestWhatCantBeMergedIsNamed(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.CorruptResults)
	for _, c := range append(incomplete, mixed...) {
		faults.Try(c.name, c.try)
	}
	faults.Try("the runners' logs are not where they should be", func(t *testing.T) {
		if _, err := Merge(Order{Paths: []string{filepath.Join(t.TempDir(), "none")}}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v", err)
		}
	})
}

func (c broken) try(t *testing.T) {
	x := newTest(4, 2, 20)
	if c.before != nil {
		c.before(x)
	}
	dir := x.write(t, logfmt)
	if c.after != nil {
		log := filepath.Join(dir, "runner-001.log")
		b, err := os.ReadFile(log)
		labtest.Check(t, errors.Join(err, c.after(log, b)))
	}
	_, err := Merge(Order{Paths: []string{dir}})
	if err == nil {
		t.Fatal("it was merged")
	}
	for _, w := range c.want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error lacks %q: %v", w, err)
		}
	}
	if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "0xc000") || len(err.Error()) > 1000 {
		t.Errorf("the error isn't one short line: %v", err)
	}
	if strings.Contains(err.Error(), "no runner has") && strings.Contains(err.Error(), "--partial") {
		t.Errorf("the error offers a merge that fails too: %v", err)
	}
}
