package plan

import (
	"fmt"
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

// ShortestWindow and LongestWindow bound the window of a client program, which is
// measured in renewals. The shortest is long enough for latencies and for a
// client that was slow to begin; the longest keeps a matrix of clients below
// half an hour.
const (
	ShortestWindow = 1500 * time.Millisecond
	LongestWindow  = 15 * time.Second
)

// UsualFor are the knobs of a command as they stand when nobody turns them. A
// client matrix has many cells and asks yes-or-no questions of counts, so it
// measures each once; and it offers what libraries offer by themselves, TLS 1.3.
func UsualFor(command string) Knobs {
	k := Usual()
	if command == Clients {
		k.Trials, k.Duration, k.TLS = 1, ShortestWindow, "1.3"
	}
	return k
}

// Row is a client program as the matrix sees it.
type Row struct {
	Client   facts.Client
	Protocol facts.Protocol
	Program  *facts.Program
}

// ClientCells are the cells that every row has: where the limit is high and where
// it is low. A TOPOLOGY filter may leave one of the two.
func ClientCells(rows []Row, k Knobs) []facts.Planned {
	return append(UnlimitedCells(rows, k), LowCells(rows, k)...)
}

// UnlimitedCells are measured first: what a client does where no window meets
// the limit says how fast it is, and so how long it needs where one does.
func UnlimitedCells(rows []Row, k Knobs) []facts.Planned {
	return cellsOn(rows, k, fmt.Sprintf("nginx-%d", HighLimit))
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
	if err := k.unused(append(first, GentleCells(rows, k, k.Limit)...)); err != nil {
		return fmt.Errorf("%w; clients are measured on nginx-%d, nginx-%d and envoy-%d", err, k.Limit, HighLimit, k.Limit)
	}
	return nil
}

// LowCells are the rows where the fault is.
func LowCells(rows []Row, k Knobs) []facts.Planned {
	return cellsOn(rows, k, fmt.Sprintf("nginx-%d", k.Limit))
}

// LowerCells are rows that met the run's limit too seldom, at a lower one. Their
// requests in flight are lowered as much: at a renewal as large a part of a
// connection's requests is under way, and a pool that spreads them holds fewer
// connections. A row whose code counts on the run's limit has none.
func LowerCells(rows []Row, k Knobs) []facts.Planned {
	if k.Limit <= LowerLimit {
		return nil
	}
	return lowered(cellsOn(rows, k, fmt.Sprintf("nginx-%d", LowerLimit)), k)
}

// GentleCells are rows with a fault at a limit, where it is as low but announced
// in two stages: does a gentler server save them?
func GentleCells(rows []Row, k Knobs, limit int) []facts.Planned {
	cells := cellsOn(rows, k, fmt.Sprintf("envoy-%d", limit))
	if limit < k.Limit {
		return lowered(cells, k)
	}
	return cells
}

// lowered has a lower limit's share of the requests in flight.
func lowered(cells []facts.Planned, k Knobs) []facts.Planned {
	for i := range cells {
		cells[i].Workload.Concurrency = max(1, k.Concurrency*LowerLimit/k.Limit)
	}
	return cells
}

func cellsOn(rows []Row, k Knobs, name string) []facts.Planned {
	var out []facts.Planned
	for _, t := range append(Topologies(k.Limit), LowerTopologies(k.Limit)...) {
		if t.Name != name {
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
