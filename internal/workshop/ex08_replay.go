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
)

const sendsLeast8 = 2000

// replay is exercise 8: lose no order and execute none twice.
func replay() Exercise {
	return Exercise{
		Number: 8, Name: "replay", Files: []string{mainFile}, NeedsLab: true,
		Check: checkReplay,
		Hints: map[State]Hints{
			stateFormat:  formatHints,
			stateBuild:   buildHints,
			programCrash: stampede().Hints[programCrash],
			programLate: {
				"two thousand requests with fifty in flight are a matter of seconds",
				"does the program wait for something that never comes?",
				"a pause before each new try adds up; the library already waits between its own",
			},
			programWords: {
				"the check reads the program's last line",
				"leave the line with sent, answered, failed and sends as it was",
				"four words, each with an equals sign and a number, as the exercise began",
			},
			programFailed: {
				"some requests were lost: what does the program say about the first of them?",
				"there are two kinds of failure in this program: a server that did not take the request, and a " +
					"client that did not wait; read the message to see which is left",
				"for the first kind the library would send again by itself, if it could have the body a second time: " +
					"look through the fields of http.Request for one that gives it",
			},
			programFew: stampede().Hints[programFew],
			programH1:  stampede().Hints[programH1],
			replayTwice: {
				"nothing is lost, but the server carried some requests out more than once: who sent them again?",
				"a client that stops waiting doesn't know whether its request was carried out",
				"only what the server said it did not take may be sent again without a second thought; for the " +
					"others, wait longer than the work can take",
			},
			replayBoth: {
				"some requests were lost and some were carried out twice: these are two faults, with two cures",
				"the message of a lost one says what the library would have needed; those that ran twice are the " +
					"ones whose client lost its patience",
				"give the library a way to read the body again, and leave sending again to it; then ask yourself " +
					"what a patience of a tenth of a second is for",
			},
			replayIDs: {
				"the ledger tells requests apart by their ids: are yours different from each other, and from those " +
					"of the last run?",
				"each request has one id, however often it is sent, and no other request has the same",
				"the exercise began with ids that hold the time the program was started at",
			},
		},
	}
}

// ledger is what the backend executed between two readings.
type ledger struct{ executed, distinct int64 }

func checkReplay(ctx context.Context, d *Desk) (Finding, error) {
	if d.built.fail != "" {
		return lacks(stateBuild, "%s doesn't build: %s", shown(8, mainFile), d.built.fail), nil
	}
	m, err := d.meter(ctx)
	if err != nil {
		return Finding{}, err
	}
	backend, err := counters.Open(d.Root, topology(lowNginx).BackendServer())
	if err != nil {
		m.src.Close()
		return Finding{}, err
	}
	defer backend.Close()
	before, err := counters.Settle(ctx, backend)
	if err != nil {
		m.src.Close()
		return Finding{}, err
	}
	out, err := d.runBuilt(ctx, programTime)
	if err != nil {
		m.src.Close()
		return Finding{}, err
	}
	c, err := m.since(ctx)
	if err != nil {
		return Finding{}, err
	}
	after, err := counters.Settle(ctx, backend)
	if err != nil {
		return Finding{}, err
	}
	return judgeReplay(out, c, ledgerBetween(before, after)), nil
}

func ledgerBetween(before, after facts.Observation) ledger {
	return ledger{after.Raw["executed"] - before.Raw["executed"], after.Raw["distinct"] - before.Raw["distinct"]}
}

// judgeReplay compares the program's counts with the ledger's.
func judgeReplay(out outcome, c counted, l ledger) Finding {
	a, said := accountOf(out.stdout)
	f := judgeProgram(8, out, c, sendsLeast8)
	twice := l.executed - l.distinct
	switch {
	case said && f.State == programFailed && twice > 0:
		return lacks(replayBoth, "of %d requests %d failed, and the ledger has %d that were carried out a second time",
			a.sent, a.sent-a.answered, twice)
	case f.State != Done:
		return f
	case twice > 0 && l.executed == a.sent:
		return lacks(replayIDs, "%d requests were carried out under %d ids", l.executed, l.distinct)
	case twice > 0:
		return lacks(replayTwice,
			"all %d requests were answered, and the ledger has %d that were carried out a second time", a.sent, twice)
	case l.distinct != a.sent:
		return lacks(replayIDs, "%d requests were answered, and the ledger has %d with an id", a.sent, l.distinct)
	}
	return done("%d requests were sent, as many were answered, and the ledger has each of them once, over %d "+
		"connections", a.sent, c.used)
}
