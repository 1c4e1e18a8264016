package workshop

import (
	"context"
	"regexp"
	"strconv"
	"time"

	"h2lab/internal/base/counters"
	"h2lab/internal/facts"
)

const (
	mainFile    = "main.go"
	programTime = 12 * time.Second
	sendsLeast5 = 5000
	sendsLeast8 = 2000
	// spareOver / spareUnder is how many times the expected number of connections may be accepted, because two
	// renewals can overlap.
	spareOver, spareUnder = 3, 2
)

// checkStampede: Go's pool dials one connection for each waiting request.
func checkStampede(ctx context.Context, d *Desk) (Finding, error) {
	out, c, err := d.metered(ctx, func() (outcome, error) { return d.runBuilt(ctx, programTime) })
	if err != nil {
		return Finding{}, err
	}
	if f := judgeProgram(5, out, c, sendsLeast5); f.State != Done {
		return f, nil
	}
	return judgeStampede(c, d.own.limit), nil
}

// judgeStampede compares what the server accepted with the expected number.
func judgeStampede(c counted, limit int) Finding {
	ideal := c.ideal(limit)
	says := facts.T("workshop.expected", c.requests, ideal, c.accepted)
	return first(
		rule{spareUnder*c.accepted <= spareOver*ideal, Done, facts.T("workshop.with-in-flight", says, c.inFlight)},
		rule{c.accepted > 5*ideal, "many-dials", says},
		rule{true, "some-dials", facts.T("workshop.half-as-many-again", says)},
	)
}

// account is the last line that a learner's program prints: its own counts.
type account struct{ sent, answered, failed int64 }

var accountLine = regexp.MustCompile(`(?m)^sent=(\d+) answered=(\d+) failed=(\d+)\b`)

// accountOf parses that line.
func accountOf(stdout string) (account, bool) {
	all := accountLine.FindAllStringSubmatch(stdout, -1)
	if len(all) == 0 {
		return account{}, false
	}
	n := func(i int) int64 {
		v, _ := strconv.ParseInt(all[len(all)-1][i], 10, 64)
		return v
	}
	return account{n(1), n(2), n(3)}, true
}

// judgeProgram returns what is wrong with a run in any exercise.
func judgeProgram(n int, out outcome, c counted, least int64) Finding {
	a, said := accountOf(out.stdout)
	name := shown(n, mainFile)
	failed := a.failed > 0 || a.answered != a.sent || out.status != 0
	fewer := a.sent >= least && a.answered > c.requests && 2*c.requests > a.answered // even fewer went to another front
	if f := first(
		rule{out.late, "too-long", facts.T("workshop.still-running", name, programTime)},
		rule{!said && out.status != 0, "crash", facts.T("workshop.status", name, out.status, out.lastWords())},
		rule{!said, "words", facts.T("workshop.no-counts", name)},
		rule{failed, "failed", facts.T("workshop.requests-failed", a.sent-a.answered, a.sent, out.status,
			outcome{stderr: out.stderr}.lastWords())},
		rule{fewer, "failed", facts.T("workshop.saw-fewer", name, a.answered, lowNginx, c.requests)},
		rule{a.sent < least || c.requests < least, "too-few-requests",
			facts.T("workshop.sent-and-saw", name, a.sent, lowNginx, c.requests, least)},
	); f.State != Done {
		return f
	}
	return first(append(c.misused(name),
		rule{c.atOnce > atOnceMost, "many-pools", facts.T("workshop.many-pools", name, c.atOnce)})...)
}

// ledger is what the backend executed between two readings. slow reports whether some of it took as long as slow orders.
type ledger struct {
	executed, distinct int64
	slow               bool
}

// slowMS is below the time of a slow order, 300 ms, and far above that of the others.
const slowMS = 250

// checkReplay: lose no order and execute none twice.
func checkReplay(ctx context.Context, d *Desk) (Finding, error) {
	server := d.topology(lowNginx).BackendServer()
	backend, err := counters.Open(d.Root, server)
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
		if earlier, err = counters.Handled(ctx, server); err != nil {
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
	now, err := counters.Handled(ctx, server)
	if err != nil {
		return Finding{}, err
	}
	times, err := now.Since(earlier)
	if err != nil {
		return Finding{}, err
	}
	return judgeReplay(out, c, ledger{
		executed: after.Raw["executed"] - before.Raw["executed"],
		distinct: after.Raw["distinct"] - before.Raw["distinct"],
		slow:     times.P999 != nil && *times.P999 >= slowMS, // one in a hundred is, so one in a thousand is, too
	}), nil
}

// judgeReplay compares the program's counts with the ledger's.
func judgeReplay(out outcome, c counted, l ledger) Finding {
	a, said := accountOf(out.stdout)
	f := judgeProgram(8, out, c, sendsLeast8)
	twice := l.executed - l.distinct
	return first(
		rule{said && f.State == "failed" && twice > 0, "lost-and-twice",
			facts.T("workshop.failed-and-twice", a.sent, a.sent-a.answered, twice)},
		rule{f.State != Done, f.State, f.Says},
		rule{twice > 0 && l.executed == a.sent, "ids", facts.T("workshop.too-few-ids", l.executed, l.distinct)},
		rule{twice > 0, "twice", facts.T("workshop.executed-twice", a.sent, twice)},
		rule{l.distinct != a.sent, "ids", facts.T("workshop.ids-differ", a.sent, l.distinct)},
		rule{c.posted < l.distinct, "other-orders", facts.T("workshop.no-posts", l.distinct-c.posted, l.distinct)},
		rule{!l.slow, "other-orders", facts.T("workshop.none-slow", slowMS)},
		rule{true, Done, facts.T("workshop.exactly-once", a.sent, c.used)},
	)
}
