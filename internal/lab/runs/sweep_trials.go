package runs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/native"
)

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
	svc   *services
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
	k.lab.message("h2lab: starting the services again")
	if err := k.lab.nextServices(ctx, k.conductor, k.svc.able(k.cells)); err != nil {
		return err
	}
	return k.heat(ctx, k.cells, conduct.Heating, func(p facts.Planned) string {
		if why := k.servers.lacks(p); why != "" {
			return why
		}
		return k.svc.why(p)
	})
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
