package plan

import (
	"fmt"
	"math"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// Clients is the command that measures the programs of clients/.
const Clients = "clients"

// Patience is the time limit of one request of a client program, after which it counts as hung:
// hundreds of times the usual latency here, longer than Go's pauses before a retry (1 s and 2 s),
// and short enough for a whole matrix.
const Patience = 4 * time.Second

// ShortestWindow and LongestWindow bound the window of a client program, which is measured in
// renewals. The shortest is long enough for latencies and for a client that starts slowly; the
// longest keeps a matrix of clients below half an hour.
const (
	ShortestWindow = 1500 * time.Millisecond
	LongestWindow  = 15 * time.Second
)

// UsualFor are the default knobs of a command. A client matrix has many cells and asks yes-or-no
// questions about counts, so it measures each once; and it offers what libraries offer by default,
// TLS 1.3.
func UsualFor(command string) Knobs {
	k := Usual()
	if command == Clients {
		k.Trials, k.Duration, k.TLS = 1, ShortestWindow, "1.3"
	}
	if command == Story {
		usualStory(&k)
	}
	if command == Sweep { // its tables have a hundred cells and more, and their own windows
		k.Trials = 1
	}
	return k
}

// Row is a client program in the matrix.
type Row struct {
	Client   facts.Client
	Protocol facts.Protocol
	Program  *facts.Program
}

// ClientCells are the cells of every row: one with the high limit and one with the low limit. A
// TOPOLOGY filter may leave only one of them.
func ClientCells(rows []Row, k Knobs) []facts.Planned {
	return append(UnlimitedCells(rows, k), LowCells(rows, k)...)
}

// UnlimitedCells are measured first: a client's speed without renewals determines how long it needs
// with them.
func UnlimitedCells(rows []Row, k Knobs) []facts.Planned {
	return cellsOn(rows, k, fmt.Sprintf("nginx-%d", HighLimit))
}

// UnusedTopology reports the word of TOPOLOGY that matches no cell of the client matrix, in either
// pass.
func UnusedTopology(rows []Row, k Knobs) error {
	first := ClientCells(rows, k)
	if len(first) == 0 {
		return fmt.Errorf("TOPOLOGY=%s leaves no cell: "+
			"clients are measured on nginx-%d and nginx-%d, those that fail also on envoy-%d",
			strings.Join(k.Topologies, ","), k.Limit, HighLimit, k.Limit)
	}
	if err := k.unused(append(first, GentleCells(rows, k, k.Limit)...)); err != nil {
		return fmt.Errorf("%w; clients are measured on nginx-%d, nginx-%d and envoy-%d", err, k.Limit, HighLimit,
			k.Limit)
	}
	return nil
}

// LowCells are the rows' cells with the low limit.
func LowCells(rows []Row, k Knobs) []facts.Planned {
	return cellsOn(rows, k, fmt.Sprintf("nginx-%d", k.Limit))
}

// LowerCells are rows with too few renewals at the run's limit, at a lower one. Their requests in
// flight are reduced in proportion: at a renewal the same share of a connection's requests is in
// flight, and a pool that spreads them holds fewer connections. A row whose code assumes the run's
// limit has none.
func LowerCells(rows []Row, k Knobs) []facts.Planned {
	if k.Limit <= LowerLimit {
		return nil
	}
	return lowered(cellsOn(rows, k, fmt.Sprintf("nginx-%d", LowerLimit)), k)
}

// GentleCells are rows with a fault at a limit, on a server with the same limit but a two-stage
// shutdown: they show whether that prevents the fault.
func GentleCells(rows []Row, k Knobs, limit int) []facts.Planned {
	cells := cellsOn(rows, k, fmt.Sprintf("envoy-%d", limit))
	if limit < k.Limit {
		return lowered(cells, k)
	}
	return cells
}

// lowered reduces the requests in flight, or their rate, in proportion to the lower limit.
func lowered(cells []facts.Planned, k Knobs) []facts.Planned {
	for i := range cells {
		if w := &cells[i].Workload; w.RatePerS > 0 {
			w.RatePerS = max(1, math.Round(w.RatePerS*float64(LowerLimit)/float64(k.Limit)))
			continue
		}
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
				out = append(out, facts.Planned{
					Topology: t,
					Protocol: r.Protocol,
					Client:   r.Client,
					Program:  r.Program,
					Workload: k.Workload(),
				})
			}
		}
	}
	return out
}
