//go:build integration

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/translations"
)

// A client is one directory and one line in clients.txt: testdata/fakeclients has both, and shows
// the results of programs that fail in every possible way.
func TestAFakeClientIsOneFolderAndOneLineAndItsFaultsAreToldApart(t *testing.T) {
	fakes, err := filepath.Abs("testdata/fakeclients")
	labtest.Check(t, err)
	p := start(t, "clients", "CLIENTS="+fakes, "CONCURRENCY=2", "TOPOLOGY=nginx-100")
	p.end(statusDone)
	r, err := results.Read(p.run())
	labtest.Check(t, err)
	got := map[string]clientverdicts.Row{}
	for _, row := range clientverdicts.Rows(r) {
		got[string(row.Client)] = row
	}
	for name, want := range map[string]clientverdicts.Verdict{
		"fake-honest": clientverdicts.Sound, "fake-floods": clientverdicts.Sound, "fake-lies": clientverdicts.Lies,
		"fake-garbage": clientverdicts.Crashes, "fake-exits": clientverdicts.Crashes,
		"fake-endless": clientverdicts.Hangs,
	} {
		if row := got[name]; row.Verdict != want {
			t.Errorf("%s is %q, want %q: %q", name, row.Verdict, want, translations.English.AllIn(row.Reasons))
		}
	}
	page := readRun(t, p, rundir.ClientsPage)
	for _, words := range []string{"Segmentation fault", "cannot open shared object file", "fake-honest",
		"http.client"} {
		if !strings.Contains(page, words) {
			t.Errorf("the page doesn't say %q", words)
		}
	}
	if !json.Valid([]byte(readRun(t, p, "clients.json"))) {
		t.Error("clients.json is no JSON")
	}
}

func readRun(t *testing.T, p *labProcess, name string) string {
	t.Helper()
	return labtest.Read(t, filepath.Join(p.run(), name))
}

func TestClientsNamesAToolchainThatIsMissing(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"clients.txt": "cobol\n",
		"cobol/client.json": `{"ecosystem": "cobol", "title": "COBOL", "needs": [{"tool": "cobc-of-nowhere", "args": ` +
			`["--version"], "least": "3", "install": "apt-get install gnucobol"}],
			"build": ["./build.sh"], "clients": [{"name": "cobol", "library": "none", "says": "none", "run": ` +
			`["out/run"], "protocol": "h1"}]}`,
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		labtest.Write(t, path, text)
	}
	p := start(t, "clients", "CLIENTS="+dir, "TOPOLOGY=nginx-100")
	p.end(statusDone)
	p.says("cobol is unsupported here: cobc-of-nowhere is missing; install it with: apt-get install gnucobol",
		"1 unsupported")
	if page := readRun(t, p, rundir.ClientsPage); !strings.Contains(page, "apt-get install gnucobol") {
		t.Error("the page doesn't say how to get it")
	}
	named := start(t, "clients", "CLIENTS="+dir, "ONLY=cobol", "TOPOLOGY=nginx-100")
	named.end(statusMissing)
	named.says("clients/cobol: cobc-of-nowhere is missing")
}
