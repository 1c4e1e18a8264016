package results

import (
	"bytes"
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
				Unsupported: "no port"},
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
	v := facts.Judgement{SchemaVersion: facts.SchemaVersion, Run: "a",
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
	labtest.Check(t, WriteVerdicts(dir, facts.Judgement{SchemaVersion: facts.SchemaVersion, Run: "r"}))
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

// fullDisk writes to a file other than the created one.
type fullDisk struct {
	pending
	full *os.File
}

func (d fullDisk) Write(p []byte) (int, error) { return d.full.Write(p) }

// /dev/full behaves as a full disk and needs no privilege.
func TestAFullDiskIsNamed(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close() //nolint:errcheck // nothing was written
	dir := t.TempDir()
	err = save(dir, File, facts.Result{}, "", func(d *rooted.Dir, name string) (pending, error) {
		f, err := createPending(d, name)
		return fullDisk{f, full}, err
	})
	if err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("error %v", err)
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
