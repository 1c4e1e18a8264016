package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/clientreport"
	"h2lab/internal/report/rundir"
)

// finished runs the end of a command on a copy of a recorded run, with some more warnings.
func finished(t *testing.T, name string, end func(a *app, dir string) error) (terminal, dir string) {
	t.Helper()
	r := recorded(t, name)
	r.Run.Interrupted = true
	r.Run.Warnings = append(r.Run.Warnings, "no processor budget could be set: the kernel's cgroups aren't writable")
	at := t.TempDir()
	dir = filepath.Join(at, r.Run.ID)
	labtest.Check(t, results.Write(dir, r))
	var out bytes.Buffer
	labtest.Check(t, end(&app{ctx: t.Context(), root: at, stdout: &out, stderr: &out}, dir))
	return strings.Join(strings.Fields(out.String()), " "), dir
}

func TestTheEndOfARunShowsTheReportsWarningsOnTheTerminal(t *testing.T) {
	terminal, dir := finished(t, "repro", func(a *app, dir string) error { return a.finish(dir, nil, false) })
	page := filepath.Join(dir, "report.md")
	list := warningsOf(t, page)
	if len(list) < 3 {
		t.Fatalf("warnings %q, want that it was interrupted, had no budget and was strained", list)
	}
	for _, w := range list {
		if w = strings.ReplaceAll(w, "\\", ""); !strings.Contains(terminal, w) {
			t.Errorf("the terminal lacks %q:\n%s", w, terminal)
		}
	}
}

func TestTheEndOfAClientMatrixShowsThePagesWarningsOnTheTerminal(t *testing.T) {
	terminal, dir := finished(t, "clients", func(a *app, dir string) error { return a.finishClients(dir, nil) })
	r, err := results.Read(dir)
	labtest.Check(t, err)
	list := clientreport.Warnings(r)
	if len(list) < 2 {
		t.Fatalf("warnings %q, want that it was interrupted and had no budget", list)
	}
	holdsEach(t, list, terminal, filepath.Join(dir, rundir.ClientsPage))
}

// A report without space for it is drawn later: the run isn't lost.
func TestAReportWithoutSpaceNamesTheNextStep(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "report.md", Err: syscall.ENOSPC}
	err := ended("results/a run", nil, func() error { return full })
	if err == nil || !strings.Contains(err.Error(), "make room, then: h2lab report 'results/a run'") {
		t.Errorf("%v", err)
	}
	if err := ended("results/x", nil, func() error { return os.ErrPermission }); !errors.Is(err, os.ErrPermission) ||
		strings.Contains(err.Error(), "room") {
		t.Errorf("%v", err)
	}
	unsaved := &conduct.SaveError{Err: full}
	drawn := false
	if err := ended("results/x", unsaved, func() error { drawn = true; return full }); drawn || !errors.Is(err, unsaved) {
		t.Errorf("drawn %v, %v: a report of results that aren't saved", drawn, err)
	}
}

// warningsOf returns the list at the beginning of a report, as Markdown.
func warningsOf(t *testing.T, page string) (list []string) {
	t.Helper()
	_, rest, _ := strings.Cut(labtest.Read(t, page), "**About the whole run:**")
	top, _, _ := strings.Cut(rest, "\n## ")
	for line := range strings.Lines(top) {
		if w, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			list = append(list, w)
		}
	}
	return list
}

func holdsEach(t *testing.T, list []string, terminal, page string) {
	t.Helper()
	b := labtest.Read(t, page)
	for _, w := range list {
		if !strings.Contains(terminal, w) {
			t.Errorf("the terminal lacks %q:\n%s", w, terminal)
		}
		if !strings.Contains(b, w) {
			t.Errorf("%s lacks %q", filepath.Base(page), w)
		}
	}
}
