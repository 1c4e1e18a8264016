package runs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// sweepStage is one sweep on the stage of its services.
func sweepStage(name string, cells []facts.Planned) stage {
	rising := &rising{cores: proc.ThisMachine().Cores, users: name == plan.Callers}
	return stage{
		cells: cells,
		passes: func(r *facts.Result) (out []func() []facts.Planned) {
			passes := plan.Passes(name, cells)
			if len(passes) > 1 {
				rising.result, rising.first = r, len(r.Cells)
			}
			for _, pass := range passes {
				out = append(out, group(pass))
			}
			return out
		},
		unsupported: rising.why,
		instruments: func(c *conductor) conduct.Instruments {
			return &sweepTrials{Instruments: c.bench, services: &stageKeeper{conductor: c, cells: cells}}
		},
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
func (s *rising) why(p facts.Planned) (none facts.Text) {
	if why := plan.TooSlow(p); !why.IsZero() || s.result == nil { // no pass has begun, or nothing rises
		return why
	}
	for i := range s.result.Cells[s.first:] {
		c := &s.result.Cells[s.first+i]
		if c.Client != p.Client || c.Topology != p.Topology.Name || c.Protocol != p.Protocol ||
			c.Workload.Concurrency >= p.Workload.Concurrency && c.Workload.DelayMS >= p.Workload.DelayMS {
			continue
		}
		if !c.Unsupported.IsZero() {
			return c.Unsupported
		}
		if reason := s.limited(c); !reason.IsZero() {
			return reason
		}
	}
	return none
}

// limited says why more users than a cell's are not measured, or is empty.
func (s *rising) limited(c *facts.Cell) (reason facts.Text) {
	for _, t := range c.Trials {
		if reason = s.limit(c.Workload.Concurrency, t); reason.IsZero() {
			return reason
		}
	}
	return reason
}

func (s *rising) limit(users int, t facts.Trial) (why facts.Text) {
	n, cores := fmt.Sprint(users), fmt.Sprint(s.cores)
	switch p50 := t.LatencyMS.P50; {
	case t.Fault != nil:
		why = facts.T("lab.trial-failed", n, t.Fault.Message)
	case !s.users:
		return why
	case t.AllCoresBusy(s.cores):
		why = facts.T("lab.cores-busy", n, cores, s.shares(t))
	case t.Succeeded == 0:
		why = facts.T("lab.none-succeeded", n)
	case p50 != nil && *p50 >= float64(waiting.Milliseconds()):
		why = facts.T("lab.users-wait", n, fmt.Sprintf("%.1f", *p50/1000))
	default:
		return why
	}
	return facts.T("lab.not-measured", why)
}

// shares are the parts of the machine's processor time.
func (s *rising) shares(t facts.Trial) facts.Text {
	var out []facts.Text
	for _, part := range []struct {
		name facts.Text
		used *float64
	}{{facts.T("lab.service"), t.CPU.Service}, {facts.T("lab.load-generator"), t.CPU.Client}, {facts.T("lab.proxy"), t.CPU.Proxy},
		{facts.T("lab.backend"), t.CPU.Backend}, {facts.T("lab.other-programs"), t.CPU.Other}} {
		if part.used != nil {
			out = append(out, facts.T("lab.share", part.name, fmt.Sprintf("%.0f", 100**part.used/(t.ElapsedS*float64(s.cores)))))
		}
	}
	return facts.Join("join.comma", out...)
}

// sweepTrials measures the trials of a sweep so that a service that fails in one of them ends that
// trial and not the sweep: thousands of users find the limits of a heap.
type sweepTrials struct {
	conduct.Instruments
	services keeper
	bare     bool // trials without a service don't end the sweep, either
	failed   int  // trials in a row
}

// keeper looks after the services of a sweep; tests replace it.
type keeper interface {
	// idle waits until the service has no request left from an earlier trial.
	idle(ctx context.Context, cell facts.Planned) error
	// serversAlive names a proxy or a backend that has died, servicesAlive a service.
	serversAlive() error
	servicesAlive() error
	// restart stops all services of the sweep and starts them again.
	restart(ctx context.Context) error
}

// mostFailed is how many trials in a row may fail: then the machine or the lab is at fault, and not a
// service.
const mostFailed = 5

// Measure implements conduct.Instruments.
func (s *sweepTrials) Measure(ctx context.Context, cell facts.Planned, index int) (facts.Trial, error) {
	if cell.Service == nil && !s.bare {
		return s.Instruments.Measure(ctx, cell, index)
	}
	t, err := facts.Trial{}, s.services.idle(ctx, cell)
	if err == nil {
		t, err = s.Instruments.Measure(ctx, cell, index)
	}
	if ctx.Err() != nil || s.services.serversAlive() != nil {
		return t, err
	}
	dead := s.services.servicesAlive()
	if err == nil && dead == nil {
		if t.Fault == nil {
			s.failed = 0
		}
		return t, nil
	}
	if s.failed++; s.failed >= mostFailed {
		return t, errors.Join(dead, err)
	}
	if again := s.services.restart(ctx); again != nil {
		return t, errors.Join(dead, err, again)
	}
	return facts.Trial{Errors: []facts.Error{}, Warnings: t.Warnings, Fault: faultOf(err, dead)}, nil
}

// faultOf is a failed trial's fault. The service's death is the cause of everything after it.
func faultOf(err, dead error) *facts.Fault {
	var program *load.ProgramError
	var died *native.DiedError
	switch {
	case errors.As(dead, &died):
		return &facts.Fault{Kind: facts.FaultCrashed, Message: firstLine(died.Ending())}
	case dead != nil:
		return &facts.Fault{Kind: facts.FaultCrashed, Message: firstLine(dead.Error())}
	case errors.As(err, &program):
		return &program.Fault
	}
	return &facts.Fault{Kind: facts.FaultSilent, Message: firstLine(err.Error())}
}

// stageKeeper is the keeper of the services that a conductor has started.
type stageKeeper struct {
	*conductor
	cells []facts.Planned
}

func (k *stageKeeper) serversAlive() error { return k.servers.Site.Alive() }

func (k *stageKeeper) servicesAlive() error {
	if k.servers.services == nil {
		return nil
	}
	return k.servers.services.Alive()
}

func (k *stageKeeper) restart(ctx context.Context) error {
	k.lab.say(facts.T("lab.services-again"))
	if err := k.lab.nextServices(ctx, k.conductor, k.programs.able(k.cells)); err != nil {
		return err
	}
	return k.heat(ctx, k.cells, conduct.Heating, k.unsupported(stage{}))
}

const (
	// leftOver bounds the wait for requests of an earlier trial. The longest queue that a sweep leaves
	// is worked off in slowestRound (package plan).
	leftOver = 90 * time.Second
	// atOnce are the probes of an idle service: a pool with several queues answers one probe early
	// while another queue is full.
	atOnce = 16
	// quick is how soon an idle service answers all probes, on a busy machine.
	quick = 500 * time.Millisecond
)

// idle sends probes to a server whose load generator doesn't wait for the last answers, until all of
// them are answered quickly.
func (k *stageKeeper) idle(ctx context.Context, cell facts.Planned) error {
	if cell.Users != facts.Ab && cell.Users != facts.GoBurst {
		return nil
	}
	return awaitIdle(ctx, "http://"+cell.Service.Front+"/wait?ms=1", leftOver)
}

func awaitIdle(ctx context.Context, url string, limit time.Duration) error {
	var last error
	for began := time.Now(); time.Since(began) < limit; {
		if last = probes(ctx, url); last == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		_ = await.Pause(ctx, quick/2) // the next probes see that ctx has ended
	}
	return fmt.Errorf("it still works on requests of the trial before after %s: %w; try: curl '%s'", limit, last, url)
}

// probes sends atOnce requests at the same time.
func probes(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	errs := make([]error, atOnce)
	var group await.Group
	for i := range errs {
		group.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
			if err != nil {
				errs[i] = err
				return
			}
			resp, err := client.Do(req)
			if err != nil {
				errs[i] = err
				return
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				errs[i] = fmt.Errorf("it answers %s", resp.Status)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
