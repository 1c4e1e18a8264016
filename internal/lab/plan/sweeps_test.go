package plan

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// sweepRows are rows for every service of the sweeps, as their manifests give them.
func sweepRows() (rows []Row) {
	for _, name := range Sweeps {
		for _, s := range sweepTables[name].services {
			p := facts.H1
			if strings.HasSuffix(string(s), "-h2") || s == "restclient-virtual" {
				p = facts.H2
			}
			rows = append(rows, Row{Client: s, Protocol: p, Program: &facts.Program{IDs: true}})
		}
	}
	return rows
}

func sweepKnobs(word string, quick bool) Knobs {
	k := UsualFor(Sweep)
	k.Sweep, k.Quick = word, quick
	return k
}

// distinct checks that every cell has an id of its own and a load that can be generated.
func distinct(t *testing.T, cells []facts.Planned) {
	t.Helper()
	seen := map[string]bool{}
	for _, p := range cells {
		c := facts.Cell{Topology: p.Topology.Name, Protocol: p.Protocol, Client: p.Client, Point: p.Point}
		if seen[c.ID()] {
			t.Errorf("%s is planned twice", c.ID())
		}
		seen[c.ID()] = true
		w := p.Workload
		server := strings.HasPrefix(string(p.Client), "server-")
		switch {
		case p.Users == "" && p.Client != facts.GoReplayable:
			t.Errorf("%s has no users", c.ID())
		case w.NoCall != (server && p.Topology.Name == "direct"):
			t.Errorf("%s: no call is %t", c.ID(), w.NoCall)
		case w.DurationS <= 0 || w.Concurrency < 1 || w.DelayMS < 1 || w.MaxTLS != "1.2":
			t.Errorf("%s: %+v", c.ID(), w)
		case (p.Users == facts.GoBurst || p.Users == facts.Ab) != (w.Requests >= w.Concurrency):
			t.Errorf("%s: %d requests", c.ID(), w.Requests)
		}
	}
}

// The published test of callers has about 1,000 requests/s from 800 users.
func TestEightHundredUsersOfferAThousandRequestsASecond(t *testing.T) {
	for _, p := range callersPoints(false) {
		if p.name != "800-users" {
			continue
		}
		if rate := 1000 * p.work.Concurrency / (p.work.ThinkMS + p.work.DelayMS); rate != 1000 {
			t.Errorf("they offer %d requests/s", rate)
		}
	}
}

func TestASweepWithoutAServiceSaysHowToGetIt(t *testing.T) {
	labtest.NewFaults(t, labtest.Knobs).Try("a service's manifest is missing", func(t *testing.T) {
		rows := slices.DeleteFunc(sweepRows(), func(r Row) bool { return r.Client == "server-virtual" })
		if _, err := SweepCells(Async, sweepKnobs(Async, false), rows); err == nil ||
			!strings.Contains(err.Error(), "no manifest of services/ has server-virtual, which SWEEP=async measures") {
			t.Errorf("%v", err)
		}
	})
}
