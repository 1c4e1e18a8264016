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

// Cells are the cells of a command, in the order of its table, that match the knobs' filters.
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
	if len(out) == 0 {
		filters, drop := k.filters(), "leave it out"
		if len(filters) > 1 {
			drop = "leave one of them out"
		}
		return nil, fmt.Errorf("no cell of %s matches %s; %s, or use matrix, which has every cell",
			command, strings.Join(filters, " "), drop)
	}
	if err := k.unused(out); err != nil {
		return nil, fmt.Errorf("%w; leave it out, or use matrix, which has every cell", err)
	}
	return out, nil
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

// unused names the first word of a filter that matches no cell: ignoring it would run something
// other than what the user asked for.
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
