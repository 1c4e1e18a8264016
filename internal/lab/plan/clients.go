package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// Clients is the command that measures the programs of clients/.
const Clients = "clients"

// Patience is what one request of a client program has before it counts as
// hung: hundreds of times what an answer takes here, longer than Go's pauses
// before it tries again (1 s and 2 s), and short enough for a whole matrix.
const Patience = 4 * time.Second

// UsualFor are the knobs of a command as they stand when nobody turns them. A
// client matrix has many cells and asks yes-or-no questions of counts, so it
// measures each once; and it offers what libraries offer by themselves, TLS 1.3.
func UsualFor(command string) Knobs {
	k := Usual()
	if command == Clients {
		k.Trials, k.Duration, k.TLS = 1, 3*time.Second, "1.3"
	}
	return k
}

// Row is a client program as the matrix sees it.
type Row struct {
	Client   facts.Client
	Protocol facts.Protocol
	Program  *facts.Program
}

// ClientCells are the cells of the client matrix: every row where the fault is,
// and where the limit is high. A TOPOLOGY filter may leave one of the two.
func ClientCells(rows []Row, k Knobs) []facts.Planned {
	return cellsOn(rows, k, fmt.Sprintf("nginx-%d", k.Limit), fmt.Sprintf("nginx-%d", HighLimit))
}

// GentleCells are the same rows where the limit is as low, but announced in two
// stages: does a gentler server save them?
func GentleCells(rows []Row, k Knobs) []facts.Planned {
	return cellsOn(rows, k, fmt.Sprintf("envoy-%d", k.Limit))
}

// UnusedTopology reports the word of TOPOLOGY that leaves no cell of the client
// matrix, in either pass.
func UnusedTopology(rows []Row, k Knobs) error {
	first := ClientCells(rows, k)
	if len(first) == 0 {
		return fmt.Errorf("TOPOLOGY=%s leaves no cell: "+
			"clients are measured on nginx-%d and nginx-%d, those that fail also on envoy-%d",
			strings.Join(k.Topologies, ","), k.Limit, HighLimit, k.Limit)
	}
	if err := k.unused(append(first, GentleCells(rows, k)...)); err != nil {
		return fmt.Errorf("%w; clients are measured on nginx-%d, nginx-%d and envoy-%d", err, k.Limit, HighLimit, k.Limit)
	}
	return nil
}

func cellsOn(rows []Row, k Knobs, names ...string) []facts.Planned {
	var out []facts.Planned
	for _, t := range Topologies(k.Limit) {
		if !slices.Contains(names, t.Name) {
			continue
		}
		for _, r := range rows {
			if k.wants(t.Name, r.Protocol, r.Client) {
				out = append(out, facts.Planned{Topology: t, Protocol: r.Protocol, Client: r.Client, Program: r.Program, Workload: k.Workload()})
			}
		}
	}
	return out
}
