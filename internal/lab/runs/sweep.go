package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/plan"
)

// Sweep carries out one sweep or all of them. It returns the run's directory as soon as there is one,
// also with an error.
func (l *Lab) Sweep(ctx context.Context, q Request) (dir string, err error) {
	names, err := sweepOf(q.Knobs)
	if err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	if q.Knobs.Quick {
		q.Knobs.Trials = 1
	}
	if q.Knobs.Sweep == plan.Matters {
		return l.sweepMatters(ctx, q)
	}
	svc, err := l.readServices()
	if err != nil {
		return "", err
	}
	var all []facts.Planned
	var stages []stage
	for _, name := range names {
		cells, err := plan.SweepCells(name, q.Knobs, svc.rows)
		if err != nil {
			return "", exitstatus.Lacks(err)
		}
		if cells, err = plan.Serviced(cells, svc.argv); err != nil {
			return "", exitstatus.Lacks(err)
		}
		if len(cells) > 0 {
			all, stages = append(all, cells...), append(stages, l.sweepStage(svc, name, cells))
		}
	}
	if err := plan.UnusedInSweep(all, q.Knobs); err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	l.message("h2lab: SWEEP=%s: %s, seed %d; about %s once the services are built", q.Knobs.Sweep,
		sizeOf(all, q.Knobs.Trials), q.Knobs.Seed, minutes(plan.Takes(all, q.Knobs.Trials)))
	return l.throughServices(ctx, q, svc, stages)
}

// sweepOf validates the knobs of a sweep. Its filters name other things than those of repro, fixed
// and matrix: plan.UnusedInSweep checks them.
func sweepOf(k plan.Knobs) ([]string, error) {
	names, err := plan.SweepsOf(k.Sweep)
	if err != nil {
		return nil, err
	}
	k.Topologies, k.Clients = nil, nil
	return names, k.Validate()
}

func minutes(d time.Duration) string {
	if d <= time.Minute {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", int(d.Round(time.Minute)/time.Minute))
}

// sweepStage is one sweep on the stage of its services.
func (l *Lab) sweepStage(svc *services, name string, cells []facts.Planned) stage {
	rising := &rising{cores: proc.ThisMachine().Cores, users: name == plan.Callers}
	return stage{
		cells: cells,
		passes: func(r *facts.Result) (out []func() []facts.Planned) {
			passes := plan.Passes(name, cells)
			if len(passes) > 1 {
				rising.result, rising.first = r, len(r.Cells)
			}
			for _, pass := range passes {
				out = append(out, func() []facts.Planned { return pass })
			}
			return out
		},
		unsupported: rising.why,
		instruments: func(c *conductor) conduct.Instruments {
			return &sweepTrials{Instruments: c.bench, services: &stageKeeper{conductor: c, svc: svc, cells: cells}}
		},
		limits: func() error { return l.ampleConnections(name, cells) },
	}
}

// waiting is the median from which users only wait for one another. At a think time of 0.7 s they spend
// four fifths of their time in the service's queue.
const waiting = 3 * time.Second

// rising decides which cells of a sweep with rising users or waits are still measured.
type rising struct {
	cores  int
	users  bool          // the users rise, and not the wait
	result *facts.Result // nil before the first pass, and in a sweep with one
	first  int           // index of the sweep's first cell in the result
}

// why says why a cell is not measured: with fewer users the machine was the limit already, the users
// only waited, or the service failed; more users would measure the same limit again. Of rising waits
// only the failure counts.
func (s *rising) why(p facts.Planned) string {
	if why := plan.TooSlow(p); why != "" || s.result == nil { // no pass has begun, or nothing rises
		return why
	}
	for i := range s.result.Cells[s.first:] {
		c := &s.result.Cells[s.first+i]
		if c.Client != p.Client || c.Topology != p.Topology.Name || c.Protocol != p.Protocol ||
			c.Workload.Concurrency >= p.Workload.Concurrency && c.Workload.DelayMS >= p.Workload.DelayMS {
			continue
		}
		if c.Unsupported != "" {
			return c.Unsupported
		}
		if reason := s.limited(c); reason != "" {
			return reason
		}
	}
	return ""
}

// limited says why more users than a cell's are not measured, or is empty.
func (s *rising) limited(c *facts.Cell) (reason string) {
	for _, t := range c.Trials {
		if reason = s.limit(c.Workload.Concurrency, t); reason == "" {
			return ""
		}
	}
	return reason
}

func (s *rising) limit(users int, t facts.Trial) string {
	const begin = "not measured: "
	switch p50 := t.LatencyMS.P50; {
	case t.Fault != nil:
		return fmt.Sprintf(begin+"the trial with %d users failed: %s", users, t.Fault.Message)
	case !s.users:
		return ""
	case t.AllCoresBusy(s.cores):
		return fmt.Sprintf(begin+"with %d users all %d cores of this machine were busy (%s); more users would measure "+
			"the machine and not the service", users, s.cores, s.shares(t))
	case t.Succeeded == 0:
		return fmt.Sprintf(begin+"with %d users no request succeeded", users)
	case p50 != nil && *p50 >= float64(waiting.Milliseconds()):
		return fmt.Sprintf(begin+"with %d users half of the requests took %.1f s or longer; more users would only wait "+
			"longer", users, *p50/1000)
	}
	return ""
}

// shares are the parts of the machine's processor time, as text.
func (s *rising) shares(t facts.Trial) string {
	var out []string
	for _, part := range []struct {
		name string
		used *float64
	}{{"service", t.CPU.Service}, {"load generator", t.CPU.Client}, {"proxy", t.CPU.Proxy}, {"backend", t.CPU.Backend},
		{"other programs", t.CPU.Other}} {
		if part.used != nil {
			out = append(out, fmt.Sprintf("%s %.0f %%", part.name, 100**part.used/(t.ElapsedS*float64(s.cores))))
		}
	}
	return strings.Join(out, ", ")
}

// ampleConnections checks the limits of files, ports and threads for the users of one sweep.
func (l *Lab) ampleConnections(name string, cells []facts.Planned) error {
	services := plan.ServicesOf(cells)
	need := load.Needs{Services: len(services), For: "SWEEP=" + name,
		Ports: append(portsOf(plan.Servers(plan.TopologiesOf(cells))), portsOf(services)...)}
	for _, c := range cells {
		connections := c.Workload.Concurrency
		if isK6(c.Users) { // each of its users has one to the gate, too
			connections *= 2
		}
		need.Connections = max(need.Connections, connections)
	}
	return l.ampleLimits(need)
}
