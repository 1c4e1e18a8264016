//go:build integration

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

// everyField is a small run with a value in every field.
func everyField(command string) *facts.Result {
	if command == plan.Story {
		return everyFieldOfAStory()
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := &facts.Result{SchemaVersion: facts.SchemaVersion,
		Run: facts.Run{ID: "a-run", Command: command, Repeat: "make " + command + " SEED=7", Runtime: "native",
			Started: at, Finished: at,
			Seed: 7, Trials: 2, Limit: 1000, WarmupS: 1, DurationS: 5, Concurrency: 100, CPUs: new(0.5), Key: "rsa",
			Observed: true,
			Planned:  []string{"nginx-1000.h2.go-once", "direct.h1.gone"}, Warnings: []facts.Text{facts.T("verdict.recorded", "word")}},
		Environment: facts.Environment{CPU: "word", Cores: 2, MemoryMB: 8000, Kernel: "word", OS: "word",
			LabMaxRSSMB: new(40.5),
			Versions:    map[string]string{"nginx": "word"}, Git: facts.Git{Commit: "0123abc", Dirty: true},
			Servers: []facts.ServerRecord{{Name: "nginx-1000", Version: "word", Config: "nginx/keepalive-1000.conf",
				Effective: "config/nginx-1000.effective.conf", CPUs: new(0.4)}}},
		Renewals: []facts.Renewal{
			{Topology: "nginx-1000", Protocol: "h2", Dropped: []uint32{2001}, Summary: "word",
				Frames: []facts.Frame{{TMS: 1, Type: "GOAWAY", Flags: "ACK", Detail: "word", Note: "word"}}},
			{Topology: "envoy-1000", Protocol: "h2", Summary: "word"},
		}}
	for _, topology := range []string{"nginx-1000", "nginx-100000", "envoy-1000"} {
		r.Cells = append(r.Cells, everyCell(topology, facts.H2, at))
	}
	r.Cells = append(r.Cells, everyCell("nginx-1000", facts.H1, at))
	off := everyCell("nginx-1000-envoy", facts.H2, at)
	off.Client, off.Unsupported, off.Trials = "go-single-dial", facts.Verbatim("word"), nil
	r.Cells = append(r.Cells, off)
	for i := range r.Cells {
		core.Summarise(&r.Cells[i])
	}
	return r
}

// everyFieldOfAStory is an invented story whose free texts are all "word".
func everyFieldOfAStory() *facts.Result {
	r := labtest.Story("envoy", 2)
	e := &r.Environment
	e.CPU, e.Kernel, e.OS, e.Versions, e.LabMaxRSSMB = "word", "word", "word", map[string]string{"java": "word"}, new(40.5)
	for i := range e.Servers {
		e.Servers[i].Version = "word"
	}
	r.Run.Warnings, r.Renewals[0].Summary, r.Renewals[0].Frames[0].Detail = []facts.Text{facts.Verbatim("word")}, "word", "word"
	for i := range r.Cells {
		p := r.Cells[i].Program
		p.Title, p.Library, p.Says, p.Price, p.Snippet.File, p.Snippet.Text = "word", "word", "word", "word", "word", "word"
		for j := range r.Cells[i].Trials {
			t := &r.Cells[i].Trials[j]
			t.Warnings, t.Service.Settings = []facts.Text{facts.Verbatim("word")}, map[string]string{"jvm.flags": "word"}
			t.Series = fmt.Sprintf("cells/%s/%d/series.json", r.Cells[i].ID(), t.Index)
			for _, errors := range [][]facts.Error{t.Errors, t.Service.Errors} {
				for k := range errors {
					errors[k].Message = "word"
				}
			}
		}
	}
	r.Cells[9].Trials, r.Cells[9].Unsupported = nil, facts.T("verdict.recorded", "word")
	return r
}

func everyCell(topology string, p facts.Protocol, at time.Time) facts.Cell {
	c := facts.Cell{Topology: topology, Protocol: p, Client: "go-once",
		Workload: facts.Workload{Method: "POST", BodyBytes: 1, Concurrency: 100, Pools: 1, WarmupS: 1, DurationS: 5,
			MaxTLS: "1.3"},
		Limit: facts.Limit{Configured: new(1000), Effective: new(1000), ProbedRequests: 1000, Closing: "goaway",
			LastStreamID: new(uint32(1999))},
		Program: &facts.Program{Ecosystem: "go", Title: "word", Library: "word", Says: "word", Cures: "go-replayable",
			Price:   "word",
			Snippet: facts.Snippet{File: "word", Language: "go", Text: "word"}, IDs: true}}
	for n := 1; n <= 2; n++ {
		t := facts.Trial{Index: n, Order: n, Started: at, ElapsedS: 5, Attempts: 50000, Succeeded: 49000, Failed: 1000,
			Hung: new(int64(1)),
			Errors: []facts.Error{{Class: facts.ErrOther, Count: 600, Message: "word"},
				{Class: facts.ErrTimeout, Count: 400, Message: "word"}},
			Library: "word", Runtime: "word", GoodputRPS: 9800,
			Connections: facts.Connections{Dialled: new(int64(900)), Accepted: new(int64(900)),
				Used: new(int64(50)), Expected: new(int64(50)), ClientReported: new(int64(60))},
			LatencyMS: facts.Latency{P50: new(5.0), P90: new(6.0), P95: new(7.0), P99: new(8.0), P999: new(9.0),
				Max: new(10.0)},
			ColdStart: facts.ColdStart{Requests: new(int64(100)), Accepted: new(int64(90)), Used: new(int64(2)),
				Expected: new(int64(1))},
			Backend: facts.BackendDelta{Executed: new(int64(49100)), Distinct: new(int64(49000)),
				Duplicates:  new(int64(100)),
				Connections: new(int64(3))},
			TLS: facts.TLS{Version: "1.3", Resumed: new(int64(0))}, Warnings: []facts.Text{facts.T("verdict.recorded", "word")},
			CPU: facts.CPU{Proxy: new(2.0), Backend: new(1.0), Client: new(2.0), Lab: new(0.1), Other: new(0.1),
				Stolen: new(0.0)},
			Series: fmt.Sprintf("cells/%s/%d/series.json", c.ID(), n)}
		c.Trials = append(c.Trials, t)
	}
	if topology == "envoy-1000" {
		c.Trials[1].Fault = &facts.Fault{Kind: facts.FaultCrashed, Message: "word"}
	}
	return c
}

// document is a result in JSON's types.
func hostileDocument(t *testing.T, r *facts.Result) any {
	t.Helper()
	dir := t.TempDir()
	labtest.Check(t, results.Write(dir, r))
	b, err := os.ReadFile(filepath.Join(dir, results.File))
	labtest.Check(t, err)
	var doc any
	labtest.Check(t, json.Unmarshal(b, &doc))
	return doc
}

// leaf is one value of a document: its path, and a function that changes it.
type leaf struct {
	at    string
	value any
	set   func(v any)
}

// leaves returns the strings and numbers of a document, in their order.
func leaves(at string, v any, set func(any)) (out []leaf) {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			out = append(out, leaves(at+"/"+k, x[k], func(v any) { x[k] = v })...)
		}
	case []any:
		for i := range x {
			out = append(out, leaves(fmt.Sprintf("%s/%d", at, i), x[i], func(v any) { x[i] = v })...)
		}
	case string, float64:
		out = append(out, leaf{at, v, set})
	}
	return out
}

// schemaTakes reports whether the schema accepts a value in one place of a document.
func schemaTakes(t *testing.T, doc any, l leaf, v any) bool {
	t.Helper()
	l.set(v)
	b, err := json.Marshal(doc)
	labtest.Check(t, err)
	l.set(l.value)
	return results.Validate(results.ResultsSchema, b) == nil
}

// runOf writes a document and its timelines to a run's directory.
func runOf(t *testing.T, doc any, word string) string {
	t.Helper()
	dir := t.TempDir()
	b, err := json.Marshal(doc)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, results.File), b, 0o644)
	}
	labtest.Check(t, err)
	r, err := results.Read(dir)
	labtest.Check(t, err)
	for _, c := range r.Cells {
		for _, trial := range c.Trials {
			s := facts.Series{TMS: []float64{-50, 0, 50, 100}, Accepted: []int64{0, 9, 9, 10},
				Requests: []int64{0, 9, 90, 100},
				Source:   map[string]string{"accepted": word}}
			labtest.Check(t, results.WriteSeries(dir, trial.Series, s))
		}
	}
	return dir
}
