package workshop

import (
	"context"
	"regexp"
	"strconv"
	"time"
)

// The states of exercises 5 and 8, which are programs.
const (
	programCrash  State = "crash"
	programLate   State = "too-long"
	programWords  State = "words"
	programFailed State = "failed"
	programFew    State = "too-few-requests"
	programH1     State = "http1"
	programNarrow State = "too-few-in-flight"
	programWide   State = "too-many-in-flight"
	programPools  State = "many-pools"
	dialsMany     State = "many-dials"
	dialsSome     State = "some-dials"
)

const mainFile = "main.go"

// stampede is exercise 5: Go's pool dials one connection for each waiting request.
func stampede() Exercise {
	return Exercise{
		Number: 5, Name: "stampede", Files: []string{mainFile}, NeedsLab: true,
		Check: checkStampede,
	}
}

const (
	programTime = 12 * time.Second
	sendsLeast5 = 5000
	// spare is how many times the expected number of connections may be accepted, because two
	// renewals can overlap.
	spareOver, spareUnder = 3, 2
)

func checkStampede(ctx context.Context, d *Desk) (Finding, error) {
	if d.built.fail != "" {
		return lacks(stateBuild, "%s doesn't build: %s", shown(5, mainFile), d.built.fail), nil
	}
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
	says := say("for %d requests %d connections are expected, and the server accepted %d", c.requests, ideal,
		c.accepted)
	switch {
	case spareUnder*c.accepted <= spareOver*ideal:
		return done("%s, with up to %d requests in flight", says, c.inFlight)
	case c.accepted > 5*ideal:
		return lacks(dialsMany, "%s", says)
	}
	return lacks(dialsSome, "%s, more than half as many again", says)
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
	switch {
	case out.late:
		return lacks(programLate, "%s was still running after %v", name, programTime)
	case !said && out.status != 0:
		return lacks(programCrash, "%s ended with status %d; its last output: %s", name, out.status, out.lastWords())
	case !said:
		return lacks(programWords, "%s did not print its line of counts", name)
	case a.failed > 0 || a.answered != a.sent || out.status != 0:
		return lacks(programFailed, "%d of %d requests failed, with status %d; last output: %s", a.sent-a.answered,
			a.sent, out.status, outcome{stderr: out.stderr}.lastWords())
	case a.sent >= least && a.answered > c.requests && 2*c.requests > a.answered: // fewer went to another front
		return lacks(programFailed, "%s says that %d requests were answered, and %s saw %d", name, a.answered, lowNginx,
			c.requests)
	case a.sent < least || c.requests < least:
		return lacks(programFew, "%s says it sent %d requests and %s saw %d, where the exercise asks for %d", name,
			a.sent, lowNginx, c.requests, least)
	case c.goesPast():
		return lacks(programFew, "%d requests of %s came to the backend without %s", c.past, name, lowNginx)
	case c.overH1 > 0:
		return lacks(programH1, "%d of %d connections spoke HTTP/1.1", c.overH1, c.used)
	case inFlightWrong(c) == "fewer":
		return lacks(programNarrow, "the backend had at most %d requests of %s at a time, and the exercise asks for %d in "+
			"flight", c.inFlight, name, inFlightAsked)
	case inFlightWrong(c) == "more":
		return lacks(programWide, "the backend had %d requests of %s at a time, and the exercise asks for %d in flight",
			c.inFlight, name, inFlightAsked)
	case c.atOnce > atOnceMost:
		return lacks(programPools, "%s had %d connections in use at the same time, and the exercise asks for one pool",
			name, c.atOnce)
	}
	return done("")
}
