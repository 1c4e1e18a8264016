package workshop

import (
	"context"
	"crypto/tls"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/counters"
	"h2lab/internal/lab/native"
)

const countScript = "count.sh"

// The states of exercise 2.
const (
	countFails   State = "fails"
	countWords   State = "words"
	countOwn     State = "own-readings"
	countUsed    State = "used-only"
	countStands  State = "stands-still"
	countAnother State = "another-number"
	countNever   State = "impossible"
)

// counting is exercise 2: count connections where the server accepts them.
func counting() Exercise {
	return Exercise{
		Number: 2, Name: "counting", Files: []string{countScript}, NeedsLab: true,
		Check: checkCounting,
	}
}

// scriptTime limits one run of the script.
const scriptTime = 3 * time.Second

// opening is how many connections the check opens between two runs.
type opening struct{ used, unused int64 }

func (o opening) all() int64 { return o.used + o.unused }

func checkCounting(ctx context.Context, d *Desk) (Finding, error) {
	// Each opening has used and unused connections, always more unused than used ones.
	n := func() int64 { return 2 + rand.Int64N(6) }
	a, b := opening{used: n()}, opening{used: n()}
	a.unused, b.unused = a.used+n(), b.used+n()
	steps := []opening{a, {}, b}
	first, f, err := d.countOnce(ctx)
	if err != nil || f.State != Done {
		return f, err
	}
	printed := []int64{first}
	for _, o := range steps {
		if err := d.connect(ctx, o); err != nil {
			return Finding{}, err
		}
		now, f, err := d.countOnce(ctx)
		if err != nil || f.State != Done {
			return f, err
		}
		printed = append(printed, now)
	}
	accepted, err := d.acceptedByLow(ctx) // a reading is a connection, so it comes last
	if err != nil {
		return Finding{}, err
	}
	return judgeReadings(steps, printed, accepted), nil
}

// judgeReadings compares what the script printed before the first opening and after each with what the server accepted.
func judgeReadings(steps []opening, printed []int64, accepted int64) Finding {
	if f := judgeCount(printed[0], math.MaxInt64); f.State != Done {
		return f
	}
	var moved []int64
	for i := range steps {
		moved = append(moved, printed[i+1]-printed[i])
	}
	found := judgeCounting(steps, moved)
	if found.State != Done {
		return found
	}
	if f := judgeCount(printed[len(steps)], accepted); f.State != Done {
		return f
	}
	return found
}

// acceptedByLow returns how many connections nginx-low has accepted.
func (d *Desk) acceptedByLow(ctx context.Context) (int64, error) {
	src, err := counters.Open(d.Root, d.topology(lowNginx).Front())
	if err != nil {
		return 0, err
	}
	defer src.Close()
	o, err := src.Observe(ctx)
	return o.Raw["accepts"], err
}

// judgeCount compares a number of connections with the server's own, from a moment later.
func judgeCount(printed, accepted int64) Finding {
	switch {
	case printed < 0:
		return lacks(countNever, "%s printed %d, and no server accepts fewer than 0 connections", shown(2, countScript), printed)
	case printed > accepted:
		return lacks(countNever, "%s printed %d, and %s has accepted %d connections since it was started",
			shown(2, countScript), printed, lowNginx, accepted)
	}
	return done("")
}

// judgeCounting compares how the script's number changed with what the check opened.
func judgeCounting(steps []opening, moved []int64) Finding {
	still, used, more := true, true, moved[0]-steps[0].all()
	same := true
	for i, o := range steps {
		still = still && moved[i] == 0
		used = used && moved[i] == o.used
		same = same && moved[i]-o.all() == more
	}
	opened := say("%d, %d and %d connections were opened between the runs", steps[0].all(), steps[1].all(),
		steps[2].all())
	moves := say("the number moved by %d, %d and %d", moved[0], moved[1], moved[2])
	switch {
	case same && more == 0:
		return done("%s, and %s", opened, moves)
	case still:
		return lacks(countStands, "%s, but the number stayed the same", opened)
	case used:
		return lacks(countUsed, "%s, and %s: the number of those that carried a request", opened, moves)
	case same && more > 0:
		return lacks(countOwn, "%s, and %s: each run of %s adds %d", opened, moves, shown(2, countScript), more)
	}
	return lacks(countAnother, "%s, and %s", opened, moves)
}

// countOnce runs the learner's script.
func (d *Desk) countOnce(ctx context.Context) (int64, Finding, error) {
	out, err := task{dir: d.Root, argv: []string{"sh", d.path(2, countScript)}, within: scriptTime}.run(ctx)
	if err != nil {
		return 0, Finding{}, err
	}
	n, f := readCount(out)
	return n, f, nil
}

// readCount reads the one whole number that a script printed.
func readCount(out outcome) (int64, Finding) {
	name := shown(2, countScript)
	switch {
	case out.late:
		return 0, lacks(countFails, "%s did not end within %v", name, scriptTime)
	case out.status < 0:
		return 0, lacks(countFails, "a signal ended %s; its last output: %s", name, out.lastWords())
	case out.status != 0:
		return 0, lacks(countFails, "%s ended with status %d; its last output: %s", name, out.status, out.lastWords())
	}
	n, err := strconv.ParseInt(strings.TrimSpace(out.stdout), 10, 64)
	if err != nil {
		return 0, lacks(countWords, "%s printed %s, which is not one whole number", name,
			clip(strings.TrimSpace(out.stdout)))
	}
	return n, done("")
}

// connect opens connections to nginx-low, sends a request on some of them, and closes all.
func (d *Desk) connect(ctx context.Context, o opening) error {
	pool, err := d.roots()
	if err != nil {
		return err
	}
	dialer := tls.Dialer{
		NetDialer: &net.Dialer{Timeout: time.Second},
		Config:    &tls.Config{RootCAs: pool, NextProtos: []string{"http/1.1"}},
	}
	for i := range o.all() {
		c, err := dialer.DialContext(ctx, "tcp", d.topology(lowNginx).Front().Front)
		if err != nil {
			return err
		}
		_ = c.SetDeadline(time.Now().Add(2 * time.Second))
		if i < o.used {
			_, err = io.WriteString(c, "GET /lab/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
			if err == nil {
				_, err = io.Copy(io.Discard, c)
			}
		}
		_ = c.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

const loadScript = "load.js"

// The states of exercise 3.
const (
	loadFails  State = "fails"
	loadLate   State = "too-long"
	loadQuiet  State = "too-few-requests"
	loadH1     State = "http1"
	loadHidden State = "hidden"
	loadWeak   State = "weak"
	loadFew    State = "too-few-in-flight"
	loadMany   State = "too-many-in-flight"
	loadPools  State = "many-pools"
)

// k6 is exercise 3: a script that shows the stampede.
func k6() Exercise {
	return Exercise{
		Number: 3, Name: "k6", Files: []string{loadScript}, NeedsLab: true,
		Check: checkK6,
	}
}

const (
	loadTime     = 10 * time.Second
	leastLoad    = 500
	stampedeFrom = 5 // times as many accepted as used
)

func checkK6(ctx context.Context, d *Desk) (Finding, error) {
	tools, err := native.FindTools(ctx, d.Root, "k6")
	if err != nil {
		return Finding{}, err
	}
	load := task{
		dir: d.Root, within: loadTime,
		env: []string{"SSL_CERT_FILE=" + filepath.Join(d.Root, caFile),
			"TARGET=https://" + d.topology(lowNginx).Front().Front + "/echo?ms=5",
			"K6_NO_USAGE_REPORT=true"},
		argv: []string{tools["k6"], "run", "--quiet", "--no-color", "--no-usage-report", "--address", "",
			d.path(3, loadScript)},
	}
	out, c, err := d.metered(ctx, func() (outcome, error) { return load.run(ctx) })
	if err != nil {
		return Finding{}, err
	}
	return judgeK6(out, c), nil
}

// k6Ran reports whether k6 carried out a script. A stampede may well cross a threshold that the learner set (99), and a
// script may end itself (108, exec.test.abort): k6's own exit codes, errext/exitcodes in its source.
func k6Ran(status int) bool { return status == 0 || status == 99 || status == 108 }

// judgeK6 compares what the server counted with the figures of a stampede.
func judgeK6(out outcome, c counted) Finding {
	name := shown(3, loadScript)
	switch {
	case out.late:
		return lacks(loadLate, "%s was still running after %v", name, loadTime)
	case !k6Ran(out.status):
		return lacks(loadFails, "k6 ended with status %d and said %s", out.status, out.lastWords())
	case c.requests < leastLoad:
		return lacks(loadQuiet, "%s made %d requests at %s, and the check requires at least %d", name,
			c.requests, lowNginx, leastLoad)
	case c.goesPast():
		return lacks(loadQuiet, "%d requests of %s came to the backend without %s", c.past, name, lowNginx)
	case c.overH1 > 0:
		return lacks(loadH1, "%d of the %d connections that carried a request spoke HTTP/1.1", c.overH1, c.used)
	case inFlightWrong(c) == "fewer":
		return lacks(loadFew, "the backend had at most %d requests of %s at a time, and the exercise asks for %d in flight",
			c.inFlight, name, inFlightAsked)
	case inFlightWrong(c) == "more":
		return lacks(loadMany, "the backend had %d requests of %s at a time, and the exercise asks for %d in flight",
			c.inFlight, name, inFlightAsked)
	case c.accepted >= stampedeFrom*c.used && c.atOnce > atOnceMost:
		return lacks(loadPools, "%s had %d connections in use at the same time, and the exercise asks for one pool", name,
			c.atOnce)
	case c.accepted >= stampedeFrom*c.used:
		return done("%d requests used %d connections and the server accepted %d", c.requests, c.used, c.accepted)
	case 2*c.accepted < 3*c.used:
		return lacks(loadHidden, "%d requests used %d connections and the server accepted %d, so no connection "+
			"was wasted: the script hides the fault", c.requests, c.used, c.accepted)
	}
	return lacks(loadWeak, "%d requests used %d connections and the server accepted %d, which is less than %d times "+
		"as many", c.requests, c.used, c.accepted, stampedeFrom)
}
