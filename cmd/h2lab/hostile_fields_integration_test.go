//go:build integration

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/rundir"
)

// TestEveryTextIsKnownOrFree checks that a string of results.json either accepts any text and is
// drawn as text, or is rejected by name.
func TestEveryTextIsKnownOrFree(t *testing.T) {
	doc := hostileDocument(t, everyField(plan.Repro))
	tried := map[string]bool{}
	for _, l := range leaves("", doc, nil) {
		field := numbered.ReplaceAllString(l.at, "/*") + fmt.Sprint(l.value == "word")
		if !textOf(l) || tried[field] || strings.Contains(l.at, "/summary/") { // its texts are tried as they are
			continue
		}
		tried[field] = true
		word := "<meta http-equiv=refresh>"
		if schemaTakes(t, doc, l, word) {
			if l.value != "word" && !strings.HasSuffix(l.at, "/unsupported") { // one cell has it
				t.Errorf("%s takes any text: let everyField have %q there, so that it is tried", l.at, "word")
			}
			continue
		}
		l.set(word)
		b, _ := json.Marshal(doc)
		l.set(l.value)
		if err := results.Validate(results.ResultsSchema, b); !strings.Contains(err.Error(), "'"+l.at+"'") {
			t.Errorf("%s is refused with %v", l.at, err)
		}
	}
}

// TestNoNumberOfAFileIsDrawnAsInfinite sets every number to the largest, then to the smallest,
// value that the schema accepts.
func TestNoNumberOfAFileIsDrawnAsInfinite(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	largest := []any{1e308, 1e18, 1e15, 1e12, 1e9, 4294967295.0, 1e7, 1e6, 86400.0, 1e5, 65536.0, 4096.0, 3600.0,
		100.0, 1.0}
	smallest := []any{-1e308, -1e15, -1e12, -1e9, -1.0, 0.0, 1.0}
	tiny := []any{1e-300, 0.0, 1.0}
	for _, x := range []struct {
		name     string
		extremes []any
	}{{"largest", largest}, {"smallest", smallest}, {"tiniest", tiny}} {
		f.Try("every number of results.json is the "+x.name+" that its field takes", func(t *testing.T) {
			found := map[string]int{} // by the field, whatever cell and trial it is in
			for _, command := range []string{plan.Repro, plan.Clients, plan.Story} {
				drawExtreme(t, command, x.extremes, found)
			}
		})
	}
}

func textOf(l leaf) bool { _, ok := l.value.(string); return ok }

var numbered = regexp.MustCompile(`/\d+`)

func drawExtreme(t *testing.T, command string, extremes []any, found map[string]int) {
	t.Helper()
	doc := hostileDocument(t, everyField(command))
	var set []func()
	for _, l := range leaves("", doc, nil) {
		if _, ok := l.value.(float64); !ok || strings.HasSuffix(l.at, "/schema_version") {
			continue
		}
		kind := numbered.ReplaceAllString(l.at, "/*")
		i, known := found[kind]
		if !known {
			i = slices.IndexFunc(extremes, func(v any) bool { return schemaTakes(t, doc, l, v) })
			found[kind] = i
		}
		if i < 0 || extremes[i] == 1e308 || extremes[i] == -1e308 {
			t.Errorf("%s has no bound", l.at)
			continue
		}
		set = append(set, func() { l.set(extremes[i]) })
	}
	for _, s := range set {
		s()
	}
	dir := runOf(t, doc, "word")
	if _, err := rundir.Draw(dir); err != nil {
		t.Fatal(err)
	}
	for _, path := range globs(t, dir, "*.md", "charts/*.svg", "*.html") {
		for _, bad := range []string{"Inf", "NaN"} {
			if text := labtest.Read(t, path); strings.Contains(text, bad) {
				at := strings.Index(text, bad)
				t.Errorf("%s says %s: %.200q", filepath.Base(path), bad, text[max(0, at-100):])
			}
		}
	}
}

// TestErrorsThatQuoteAFileAreCleanToo runs the verb on files that it rejects.
func TestErrorsThatQuoteAFileAreCleanToo(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	evil := "\x1b]0;title\a\u202e\r" + strings.Repeat("x", 5000)
	for _, change := range []string{"id", "command", "repeat", "started"} {
		f.Try("terminal controls in run."+change+", which the error quotes", func(t *testing.T) {
			doc := hostileDocument(t, everyField(plan.Repro))
			doc.(map[string]any)["run"].(map[string]any)[change] = evil
			b, _ := json.Marshal(doc)
			dir := t.TempDir()
			labtest.Write(t, filepath.Join(dir, results.File), string(b))
			var out, said bytes.Buffer
			if status := run(t.Context(), []string{"report", dir}, &out, &said); status != statusCouldNot {
				t.Errorf("exit status %d", status)
			}
			printable(t, "the error", said.Bytes())
			if n := said.Len(); n > 1000 || !strings.Contains(said.String(), fmt.Sprintf("'/run/%s'", change)) {
				t.Errorf("%d bytes: %.300q", n, said.String())
			}
		})
	}
}
