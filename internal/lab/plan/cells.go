// Package plan has the cells of each command, as Go tables: which topology is measured over which
// protocol with which client. The packages that start, verify and measure them make no choice of
// their own.
package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// The commands that measure.
const (
	Repro  = "repro"
	Fixed  = "fixed"
	Matrix = "matrix"
)

var both = []facts.Protocol{facts.H1, facts.H2}

// row is a line of a command's table; %d in the topology is the low limit.
type row struct {
	topology  string
	protocols []facts.Protocol
	clients   []facts.Client
}

var onlyH2 = []facts.Protocol{facts.H2}

// theLoad is the load of repro: the application's pool, the script that hides the fault, and the
// client whose body can't be replayed.
var theLoad = []facts.Client{facts.K6SharedPool, facts.K6ConnectionPerVU, facts.GoOnce}

// thePool is the application's pool, which is measured over both protocols; theLoss is the client
// that loses requests over HTTP/2 only.
var (
	thePool = []facts.Client{facts.K6SharedPool}
	theLoss = []facts.Client{facts.GoOnce}
)

// tables are those of the commands but Matrix, which has every topology with every client.
var tables = map[string][]row{
	Repro: {
		{"direct", both, []facts.Client{facts.K6SharedPool}},
		{"nginx-%d", both, theLoad},
	},
	// One run has both the fault and its cure, so that a slow minute affects both alike. A trial
	// takes between 6 and 8 s: twelve cells of six trials fit into 10 minutes.
	Fixed: {
		{"nginx-%d", both, thePool},
		{"nginx-%d", onlyH2, theLoss},
		{"nginx-100000", both, thePool},
		{"nginx-100000", onlyH2, theLoss},
		{"envoy", both, thePool},
		{"envoy", onlyH2, theLoss},
		// Cures in the client are measured on the server with the fault.
		{"nginx-%d", onlyH2, []facts.Client{facts.GoReplayable, facts.GoSingleDial}},
		// k6's shared pool is compared with the same pool without JavaScript.
		{"nginx-100000", onlyH2, []facts.Client{facts.GoReplayable}},
	},
}

// Cells are the cells of a command, in the order of its table, that match the knobs' filters.
func Cells(command string, k Knobs) ([]facts.Planned, error) {
	byName := map[string]facts.Topology{}
	for _, t := range Topologies(k.Limit) {
		byName[t.Name] = t
	}
	var out []facts.Planned
	table := tables[command]
	if command == Matrix {
		for _, t := range Topologies(k.Limit) {
			table = append(table, row{t.Name, both, facts.Clients})
		}
	}
	for _, r := range table {
		name := r.topology
		if strings.Contains(name, "%d") {
			name = fmt.Sprintf(name, k.Limit)
		}
		for _, c := range r.clients {
			for _, p := range r.protocols {
				if k.wants(name, p, c) && k.takes(c) {
					out = append(out, facts.Planned{
						Topology: byName[name],
						Protocol: p,
						Client:   c,
						Workload: k.Workload(),
					})
				}
			}
		}
	}
	return out, k.matched(out, "leave one of them out, or use matrix, which has every cell")
}

// matched is an error where the filters leave no cell, or a word of one matches none: ignoring it would run something
// other than what the user asked for. instead says what there is.
func (k Knobs) matched(cells []facts.Planned, instead string) error {
	err := k.unused(cells)
	if len(cells) == 0 {
		err = fmt.Errorf("no cell matches %s", strings.Join(k.filters(), " "))
	}
	if err != nil {
		err = fmt.Errorf("%w; %s", err, instead)
	}
	return err
}

// choices names the topologies and the clients that a sweep has.
func choices(topologies []facts.Topology, clients []facts.Client) string {
	var names, words []string
	for _, t := range topologies {
		names = append(names, t.Name)
	}
	for _, c := range clients {
		words = append(words, string(c))
	}
	slices.Sort(words)
	return fmt.Sprintf("TOPOLOGY is of %s; CLIENT of %s", strings.Join(names, ", "), strings.Join(slices.Compact(words), ", "))
}

// filters are the filters that are set, as the user types them.
func (k Knobs) filters() (out []string) {
	for _, f := range []struct {
		name  string
		words []string
	}{{"TOPOLOGY", k.Topologies}, {"PROTOCOL", k.Protocols}, {"CLIENT", k.Clients}} {
		if len(f.words) > 0 {
			out = append(out, f.name+"="+strings.Join(f.words, ","))
		}
	}
	return out
}

// unused names the first word of a filter that matches no cell.
func (k Knobs) unused(cells []facts.Planned) error {
	for _, f := range []struct {
		name  string
		words []string
		has   func(facts.Planned, string) bool
	}{
		{"TOPOLOGY", k.Topologies, func(c facts.Planned, w string) bool { return c.Topology.Name == w }},
		{"PROTOCOL", k.Protocols, func(c facts.Planned, w string) bool { return string(c.Protocol) == w }},
		{"CLIENT", k.Clients, func(c facts.Planned, w string) bool { return string(c.Client) == w }},
	} {
		for _, word := range f.words {
			if !slices.ContainsFunc(cells, func(c facts.Planned) bool { return f.has(c, word) }) {
				return fmt.Errorf("%s=%s: no cell has %s", f.name, strings.Join(f.words, ","), word)
			}
		}
	}
	return nil
}

// ClientsOf are the distinct clients of some cells, in their order.
func ClientsOf(cells []facts.Planned) []facts.Client {
	var out []facts.Client
	for _, c := range cells {
		if !slices.Contains(out, c.Client) {
			out = append(out, c.Client)
		}
	}
	return out
}

// TopologiesOf are the distinct topologies of some cells, in their order.
func TopologiesOf(cells []facts.Planned) []facts.Topology {
	var out []facts.Topology
	for _, c := range cells {
		if !slices.ContainsFunc(out, func(t facts.Topology) bool { return t.Name == c.Topology.Name }) {
			out = append(out, c.Topology)
		}
	}
	return out
}

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
	instead := fmt.Sprintf("clients are measured on nginx-%d and nginx-%d, those that fail also on envoy-%[1]d", k.Limit, HighLimit)
	if len(first) == 0 {
		return k.matched(nil, instead)
	}
	return k.matched(append(first, GentleCells(rows, k, k.Limit)...), instead)
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
