package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// Sweep is the command that measures services over a range of one or two settings.
const Sweep = "sweep"

// The sweeps of services, and the word for all of them.
const (
	Callers    = "callers"
	Burst      = "burst"
	LowLatency = "low-latency"
	Async      = "async"
	EverySweep = "all"
)

// Sweeps are the sweeps of services in their order.
var Sweeps = []string{Callers, Burst, LowLatency, Async}

// SweepsOf are the sweeps that SWEEP names.
func SweepsOf(word string) ([]string, error) {
	switch {
	case word == EverySweep:
		return Sweeps, nil
	case word == Matters, slices.Contains(Sweeps, word):
		return []string{word}, nil
	}
	return nil, fmt.Errorf("SWEEP=%s is unknown: choose from %s, %s, %s", word, strings.Join(Sweeps, ", "), EverySweep,
		Matters)
}

// point is one place of a sweep: its name and the load there.
type point struct {
	name string
	work facts.Workload
	only facts.Client // the one service that has this point; empty: every service
}

// sweepTable is one sweep: services, what generates their users' load, and the points.
type sweepTable struct {
	services []facts.Client
	users    facts.Client
	// servers are services that wait themselves (/wait) where no topology is measured.
	servers bool
	// alone is the client of a further line, which calls the backend without a service; or empty.
	alone  facts.Client
	points func(quick bool) []point
}

var sweepTables = map[string]sweepTable{
	Callers: {services: []facts.Client{"resttemplate-pool", "asyncresttemplate", "webclient-h1", "webclient-h2",
		"restclient-virtual-h1", "restclient-virtual"}, users: facts.GoUsers, points: callersPoints},
	Burst: {services: []facts.Client{"server-sync", "server-mono-netty", "server-virtual"}, users: facts.GoBurst,
		servers: true, points: burstPoints},
	LowLatency: {services: []facts.Client{"resttemplate-apache", "webclient-h1", "webclient-h2"},
		users: facts.GoUsers, alone: facts.GoReplayable, points: lowLatencyPoints},
	Async: {services: []facts.Client{"server-sync", "server-callable", "server-cf-common", "server-cf-500",
		reactiveServer, "server-virtual"}, users: facts.Ab, servers: true, points: asyncPoints},
}

// reactiveServer is the one server of async that is also measured with 1,000 and 2,000 users.
const reactiveServer facts.Client = "server-mono-netty"

// SweepCells are the cells of one sweep: every point of every service directly, through the low
// limit and through the high one, that matches the filters. rows has the services' manifests.
func SweepCells(name string, k Knobs, rows []Row) ([]facts.Planned, error) {
	table := sweepTables[name]
	var out []facts.Planned
	for _, t := range sweepTopologies(k.Limit) {
		for _, service := range table.services {
			row, err := rowOf(rows, service, name)
			if err != nil {
				return nil, err
			}
			for _, p := range table.points(k.Quick) {
				if (p.only == "" || p.only == service) && k.wants(t.Name, row.Protocol, service) {
					out = append(out, facts.Planned{Topology: t, Protocol: row.Protocol, Client: service,
						Program: row.Program, Users: table.users, Point: p.name, Workload: table.workload(p, t)})
				}
			}
		}
	}
	if table.alone != "" {
		out = append(out, aloneCells(table, k)...)
	}
	return out, nil
}

// workload is the load of a point through a topology. A server needs no backend to wait, so without
// a proxy it waits itself.
func (s sweepTable) workload(p point, t facts.Topology) facts.Workload {
	w := p.work
	w.NoCall = s.servers && t.Limit == 0
	return w
}

// aloneCells are the points without a service: the users call the backend.
func aloneCells(table sweepTable, k Knobs) (out []facts.Planned) {
	direct := sweepTopologies(k.Limit)[0]
	if !k.wants(direct.Name, facts.H1, table.alone) {
		return nil
	}
	for _, p := range table.points(k.Quick) {
		out = append(out, facts.Planned{Topology: direct, Protocol: facts.H1, Client: table.alone, Point: p.name,
			Workload: p.work})
	}
	return out
}

// sweepTopologies are direct, nginx with the low limit, and nginx with the high one.
func sweepTopologies(limit int) []facts.Topology {
	all := Topologies(limit)
	return all[:3]
}

func rowOf(rows []Row, service facts.Client, sweep string) (Row, error) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Client == service })
	if i < 0 {
		return Row{}, fmt.Errorf("no manifest of services/ has %s, which SWEEP=%s measures; restore it with: "+
			"git checkout services", service, sweep)
	}
	return rows[i], nil
}

// UnusedInSweep reports filters of SWEEP that leave no cell, or the first word of one that matches
// none. cells are those that the filters leave.
func UnusedInSweep(cells []facts.Planned, k Knobs) error {
	err := k.unused(cells)
	if err == nil && len(cells) > 0 {
		return nil
	}
	names, clients := []string{}, []string{}
	for _, t := range sweepTopologies(k.Limit) {
		names = append(names, t.Name)
	}
	sweeps, _ := SweepsOf(k.Sweep) // the caller has checked it
	for _, name := range sweeps {
		table := sweepTables[name]
		for _, c := range table.services {
			clients = append(clients, string(c))
		}
		if table.alone != "" {
			clients = append(clients, string(table.alone))
		}
	}
	slices.Sort(clients)
	choices := fmt.Sprintf("TOPOLOGY is of %s; CLIENT of %s", strings.Join(names, ", "),
		strings.Join(slices.Compact(clients), ", "))
	if err == nil {
		err = fmt.Errorf("%s leaves no cell", strings.Join(k.filters(), " "))
	}
	return fmt.Errorf("SWEEP=%s: %w; %s", k.Sweep, err, choices)
}

// Passes groups the cells of a sweep. callers raises the users and burst the wait pass by pass, so that
// a service that can't take more is not measured with more; the other sweeps have one pass.
func Passes(name string, cells []facts.Planned) (out [][]facts.Planned) {
	level := func(facts.Workload) int { return 0 }
	switch name {
	case Callers:
		level = func(w facts.Workload) int { return w.Concurrency }
	case Burst:
		level = func(w facts.Workload) int { return w.DelayMS }
	}
	for _, c := range cells {
		i := slices.IndexFunc(out, func(pass []facts.Planned) bool { return level(pass[0].Workload) == level(c.Workload) })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], c)
	}
	slices.SortFunc(out, func(a, b []facts.Planned) int { return level(a[0].Workload) - level(b[0].Workload) })
	return out
}

// What a trial costs besides its load: the load generator's start and end, and counters that settle.
const (
	sweepOverhead = 1200 * time.Millisecond
	startOfAJVM   = 7 * time.Second
)

// Takes is how long the cells are expected to take, with the start of their services.
func Takes(cells []facts.Planned, trials int) time.Duration {
	var sum time.Duration
	for _, c := range cells {
		if TooSlow(c) != "" {
			continue
		}
		sum += sweepOverhead + loadTime(c)
	}
	services := len(ClientsOf(slices.DeleteFunc(slices.Clone(cells), func(c facts.Planned) bool {
		return c.Users == ""
	})))
	return (sum*time.Duration(trials) + time.Duration(services)*startOfAJVM).Round(time.Minute)
}

// blockingThreads is Tomcat's default number of threads.
const blockingThreads = 200

// loadTime is the expected time of a trial's load.
func loadTime(c facts.Planned) time.Duration {
	w := c.Workload
	warm, bound := time.Duration(w.WarmupS*float64(time.Second)), time.Duration(w.DurationS*float64(time.Second))
	wait := time.Duration(w.DelayMS) * time.Millisecond
	switch {
	case c.Users == facts.GoBurst && c.Client == "server-sync":
		return warm + min(bound, wait*time.Duration(w.Requests)/blockingThreads)
	case c.Users == facts.GoBurst:
		return warm + min(bound, wait+burstRest)
	case c.Users == facts.Ab:
		return min(bound, wait*time.Duration(w.Requests/w.Concurrency)+time.Second)
	}
	return warm + bound
}
