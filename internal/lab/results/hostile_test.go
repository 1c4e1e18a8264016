package results

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

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
