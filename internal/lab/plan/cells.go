package plan

import (
	"fmt"
	"slices"
	"strings"

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

// theLoad is what repro and fixed compare: the application's pool, the script
// that hides the fault, and the client whose body can't be replayed.
var theLoad = []facts.Client{facts.K6SharedPool, facts.K6ConnectionPerVU, facts.GoOnce}

var tables = map[string][]row{
	Repro: {
		{"direct", both, []facts.Client{facts.K6SharedPool}},
		{"nginx-%d", both, theLoad},
	},
	Fixed: {
		{"nginx-100000", both, theLoad},
		{"envoy", both, theLoad},
		// The cures on the client's side are shown where the fault is.
		{"nginx-%d", []facts.Protocol{facts.H2}, []facts.Client{facts.GoReplayable, facts.GoSingleDial}},
		// k6's shared pool is held against the same pool without JavaScript.
		{"nginx-100000", []facts.Protocol{facts.H2}, []facts.Client{facts.GoReplayable}},
	},
	Matrix: {
		{"direct", both, facts.Clients},
		{"nginx-%d", both, facts.Clients},
		{"nginx-100000", both, facts.Clients},
		{"envoy", both, facts.Clients},
		{"envoy-%d", both, facts.Clients},
		{"nginx-%d-envoy", both, facts.Clients},
		{"nginx-%d-h2-upstream", both, facts.Clients},
	},
}

// Cells are the cells of a command, in the order of its table, narrowed by the
// knobs' filters.
func Cells(command string, k Knobs) ([]facts.Planned, error) {
	byName := map[string]facts.Topology{}
	for _, t := range Topologies(k.Limit) {
		byName[t.Name] = t
	}
	var out []facts.Planned
	for _, r := range tables[command] {
		name := r.topology
		if strings.Contains(name, "%d") {
			name = fmt.Sprintf(name, k.Limit)
		}
		for _, c := range r.clients {
			for _, p := range r.protocols {
				if k.wants(name, p, c) {
					out = append(out, facts.Planned{Topology: byName[name], Protocol: p, Client: c, Workload: k.Workload()})
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no cell of %s is left by TOPOLOGY=%s PROTOCOL=%s CLIENT=%s; drop one of them, or use matrix, which has every cell",
			command, strings.Join(k.Topologies, ","), strings.Join(k.Protocols, ","), strings.Join(k.Clients, ","))
	}
	return out, nil
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
