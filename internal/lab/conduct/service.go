package conduct

import (
	"context"
	"fmt"
	"time"

	"h2lab/internal/base/counters"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
)

// serviceSide is what a service and the backend say about the window.
type serviceSide struct {
	view    *facts.ServiceView
	before  counters.Histogram // of the backend
	handled *facts.Latency
}

// usersBase is where the users of a service send their requests.
func usersBase(cell facts.Planned) string {
	base := "http://" + cell.Service.Front
	if cell.Workload.NoCall {
		return base
	}
	return base + "/through/" + cell.Topology.Name
}

// beginService makes the service's view begin, as the last reading before the window opens.
func (w *window) beginService(ctx context.Context) (err error) {
	if w.cell.Service == nil {
		return nil
	}
	if w.service.before, err = counters.Handled(ctx, w.cell.Topology.BackendServer()); err != nil {
		return err
	}
	return counters.ResetView(ctx, *w.cell.Service)
}

// endService reads the service's view, as the first reading after the window.
func (w *window) endService(ctx context.Context) error {
	if w.cell.Service == nil {
		return nil
	}
	view, err := counters.View(ctx, *w.cell.Service)
	if err != nil {
		return err
	}
	view.Errors = load.Classify(view.Errors, w.cell.Protocol)
	w.service.view = &view
	if n := facts.Starved(view.Errors); n > 0 {
		w.warnings = append(w.warnings, fmt.Sprintf("%d of the %d calls of %s failed because its machine had no file, "+
			"port, thread or memory for them: nothing follows from this trial", n, view.Calls, w.cell.Service.Name))
	}
	return nil
}

// endHandled reads how long the backend took. It follows the settled counters: the backend records a
// time after it has written the answer.
func (w *window) endHandled(ctx context.Context) error {
	if w.cell.Service == nil {
		return nil
	}
	after, err := counters.Handled(ctx, w.cell.Topology.BackendServer())
	if err != nil {
		return err
	}
	w.service.handled, err = after.Since(w.service.before)
	return err
}

// Heating is how long a service is loaded where its cells need no more: HotSpot compiles a method with C2 after
// some thousands of calls (-XX:Tier4InvocationThreshold, 5000), and 100 users make them in that time.
const Heating = 3 * time.Second

const (
	heatWarmupS = 2.0
	mostHeating = 100 // users
)

// Heat loads a cell's service for a time without recording anything, so that no trial measures interpreted code.
// On a busy machine the first handshakes of JVMs may take longer than proxies wait, so it tries twice.
func (b *Bench) Heat(ctx context.Context, cell facts.Planned, lasting time.Duration) error {
	cell.Users = facts.K6ConnectionPerVU
	w := &cell.Workload
	w.WarmupS, w.DurationS, w.ThinkMS, w.Pools = heatWarmupS, lasting.Seconds()-heatWarmupS, 0, 1
	w.Concurrency = min(w.Concurrency, mostHeating)
	var answer load.Answer
	for _, again := range []string{"-heat", "-heat-again"} {
		var err error
		answer, err = load.Run(ctx, b.job(&window{bench: b, cell: cell, again: again}), load.Hooks{})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if dead := b.Site.Alive(); dead != nil {
			return dead
		}
		if err != nil {
			return fmt.Errorf("loading %s for the first time: %w", cell.Service.Name, err)
		}
		if answer.Succeeded > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s answers no request through %s: %s", cell.Service.Name, cell.Topology.Name,
		b.reason(ctx, *cell.Service, answer))
}

// reason is why a service failed: its own message where it has one, else its users'.
func (b *Bench) reason(ctx context.Context, service facts.Server, answer load.Answer) string {
	if v, err := counters.View(ctx, service); err == nil && len(v.Errors) > 0 {
		return v.Errors[0].Message
	}
	return answer.Errors[0].Message
}
