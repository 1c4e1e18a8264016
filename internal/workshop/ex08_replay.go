package workshop

import (
	"context"

	"h2lab/internal/base/counters"
	"h2lab/internal/facts"
)

// The states of exercise 8 in addition to those of a program.
const (
	replayTwice State = "twice"
	replayBoth  State = "lost-and-twice"
	replayIDs   State = "ids"
	replayEasy  State = "other-orders"
)

const sendsLeast8 = 2000

// replay is exercise 8: lose no order and execute none twice.
func replay() Exercise {
	return Exercise{
		Number: 8, Name: "replay", Files: []string{mainFile}, NeedsLab: true,
		Check: checkReplay,
	}
}

// ledger is what the backend executed between two readings. slow reports whether some of it took as long as slow orders.
type ledger struct {
	executed, distinct int64
	slow               bool
}

// slowMS is below the time of a slow order, 300 ms, and far above that of the others.
const slowMS = 250

func checkReplay(ctx context.Context, d *Desk) (Finding, error) {
	if d.built.fail != "" {
		return lacks(stateBuild, "%s doesn't build: %s", shown(8, mainFile), d.built.fail), nil
	}
	backend, err := counters.Open(d.Root, d.topology(lowNginx).BackendServer())
	if err != nil {
		return Finding{}, err
	}
	defer backend.Close()
	var before facts.Observation
	var earlier counters.Histogram
	out, c, err := d.metered(ctx, func() (out outcome, err error) {
		if before, err = counters.Settle(ctx, backend); err != nil {
			return out, err
		}
		if earlier, err = counters.Handled(ctx, d.topology(lowNginx).BackendServer()); err != nil {
			return out, err
		}
		return d.runBuilt(ctx, programTime)
	})
	if err != nil {
		return Finding{}, err
	}
	after, err := counters.Settle(ctx, backend)
	if err != nil {
		return Finding{}, err
	}
	l := ledgerBetween(before, after)
	l.slow, err = d.anySlow(ctx, earlier)
	return judgeReplay(out, c, l), err
}

func ledgerBetween(before, after facts.Observation) ledger {
	return ledger{executed: after.Raw["executed"] - before.Raw["executed"], distinct: after.Raw["distinct"] - before.Raw["distinct"]}
}

// anySlow reports whether the backend worked on a request as long as on a slow order since an earlier reading. One in a
// hundred is slow, so one in a thousand is, too.
func (d *Desk) anySlow(ctx context.Context, earlier counters.Histogram) (bool, error) {
	now, err := counters.Handled(ctx, d.topology(lowNginx).BackendServer())
	if err != nil {
		return false, err
	}
	times, err := now.Since(earlier)
	return err == nil && times.P999 != nil && *times.P999 >= slowMS, err
}

// judgeReplay compares the program's counts with the ledger's.
func judgeReplay(out outcome, c counted, l ledger) Finding {
	a, said := accountOf(out.stdout)
	f := judgeProgram(8, out, c, sendsLeast8)
	twice := l.executed - l.distinct
	switch {
	case said && f.State == programFailed && twice > 0:
		return lacks(replayBoth, "of %d requests %d failed, and the ledger has %d that were executed a second time",
			a.sent, a.sent-a.answered, twice)
	case f.State != Done:
		return f
	case twice > 0 && l.executed == a.sent:
		return lacks(replayIDs, "%d requests were executed under %d ids", l.executed, l.distinct)
	case twice > 0:
		return lacks(replayTwice,
			"all %d requests were answered, and the ledger has %d that were executed a second time", a.sent, twice)
	case l.distinct != a.sent:
		return lacks(replayIDs, "%d requests were answered, and the ledger has %d with an id", a.sent, l.distinct)
	}
	switch {
	case c.posted < l.distinct:
		return lacks(replayEasy, "%d of the %d orders were no POST with a body", l.distinct-c.posted, l.distinct)
	case !l.slow:
		return lacks(replayEasy, "no order took the server %d ms, and the exercise has slow ones", slowMS)
	}
	return done("%d requests were sent, as many were answered, and the ledger has each of them exactly once, "+
		"over %d connections", a.sent, c.used)
}
