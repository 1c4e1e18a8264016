//go:build integration && clients

package main

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proved"
	"h2lab/internal/base/texts"
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
	due, rows := dueClients(t)
	if rows < 80 {
		t.Errorf("%d rows", rows)
	}
	p := start(t, "clients", "ONLY="+strings.Join(due, ","), "LIMIT=100", "CONCURRENCY=10", "DURATION=700ms", "WARMUP=1s",
		"TOPOLOGY=nginx-100")
	p.end(statusDone)
	r, err := results.Read(p.run())
	labtest.Check(t, err)
	// A cure's row brings the row that it cures.
	for _, name := range due {
		if !slices.ContainsFunc(r.Cells, func(c facts.Cell) bool { return string(c.Client) == name }) {
			t.Errorf("%s has no cell", name)
		}
	}
	var again []string
	for _, c := range r.Cells {
		switch {
		case !c.Unsupported.IsZero():
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
			t.Errorf("%s is %q, want a fault: %v: %s", client, row.Verdict, faulty, texts.English.AllIn(row.Reasons))
		}
	}
	t.Logf("%d of %d client programs ran", len(r.Cells), rows)
}

// dueClients are the programs that run, and how many there are: those of each folder that changed since all ran, some of
// the others, and always the three whose verdicts are known.
func dueClients(t *testing.T) (due []string, rows int) {
	t.Helper()
	all, err := clients.Read("../..", "clients")
	labtest.Check(t, err)
	p := proved.Open(t, "../..", "clients")
	for _, e := range all {
		whole := p.Whole(e.Name, "clients/"+e.Name, "clients/kit", "internal/lab/clients")
		for _, c := range e.Clients {
			rows++
			known := c.Name == facts.GoOnce || c.Name == facts.GoReplayable || c.Name == facts.GoSingleDial
			if whole || known || p.Picks(string(c.Name)) {
				due = append(due, string(c.Name))
			}
		}
	}
	return due, rows
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
