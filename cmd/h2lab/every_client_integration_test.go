//go:build integration && clients

package main

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/results"
)

// Every program of clients/ builds and runs as its row says, cures with the lines that their
// snippets show. The test measures nothing: recorded runs show what a program does at a renewal,
// and this test checks only that it runs, with few requests in flight at a low limit so that
// renewals come soon. A program that can't run here fails the test.
func TestEveryClientIsBuiltAndRuns(t *testing.T) {
	known := faultsOnRecord(t)
	p := start(t, "clients", "LIMIT=100", "CONCURRENCY=10", "DURATION=700ms", "WARMUP=1s", "TOPOLOGY=nginx-100")
	p.end(statusDone)
	r, err := results.Read(p.run())
	labtest.Check(t, err)
	all, err := clients.Read("../..", "clients")
	labtest.Check(t, err)
	rows := 0
	for _, e := range all {
		rows += len(e.Clients)
	}
	if len(r.Cells) != rows || rows < 80 {
		t.Errorf("%d cells of %d rows", len(r.Cells), rows)
	}
	var again []string
	for _, c := range r.Cells {
		switch {
		case c.Unsupported != "":
			t.Errorf("%s can't run here: %s", c.Client, c.Unsupported)
		case len(c.Trials) == 0:
			t.Errorf("%s was not measured", c.Client)
		case c.Trials[0].Fault != nil && !known[c.Client]:
			t.Logf("%s, tried again: %s", c.Client, c.Trials[0].Fault.Message)
			again = append(again, string(c.Client))
		case c.Trials[0].Fault == nil && c.Trials[0].Library == "" && c.Program.Ecosystem != "k6":
			t.Errorf("%s doesn't say which library it is", c.Client)
		}
	}
	runAgain(t, again)
	verdicts := map[facts.Client]clientverdicts.Row{}
	for _, row := range clientverdicts.Rows(r) {
		verdicts[row.Client] = row
	}
	for client, faulty := range map[facts.Client]bool{facts.GoOnce: true, facts.GoReplayable: true,
		facts.GoSingleDial: false} {
		if row := verdicts[client]; row.Verdict.Faulty() != faulty {
			t.Errorf("%s is %q, want a fault: %v: %s", client, row.Verdict, faulty, strings.Join(row.Reasons, "; "))
		}
	}
	t.Logf("%d client programs of %d ecosystems ran", len(r.Cells), len(all))
}

// runAgain runs programs that failed again with more time, because a short start can fail on an
// overloaded machine. A program that fails twice is broken.
func runAgain(t *testing.T, names []string) {
	t.Helper()
	if len(names) == 0 {
		return
	}
	p := start(t, "clients", "ONLY="+strings.Join(names, ","), "LIMIT=100", "CONCURRENCY=10", "DURATION=1s",
		"WARMUP=3s", "TOPOLOGY=nginx-100")
	p.end(statusDone)
	r, err := results.Read(p.run())
	labtest.Check(t, err)
	for _, c := range r.Cells {
		if slices.Contains(names, string(c.Client)) && (len(c.Trials) == 0 || c.Trials[0].Fault != nil) {
			t.Errorf("%s failed twice: %+v", c.Client, c.Trials)
		}
	}
}

// faultsOnRecord are the programs that also fail in the recorded run; they are rows because they fail.
func faultsOnRecord(t *testing.T) map[facts.Client]bool {
	out := map[facts.Client]bool{}
	for _, c := range recorded(t, "clients").Cells {
		for _, trial := range c.Trials {
			out[c.Client] = out[c.Client] || trial.Fault != nil
		}
	}
	return out
}
