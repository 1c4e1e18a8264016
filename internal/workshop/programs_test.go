package workshop

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Exercises 2, 3, 5 and 8 are programs. Each table has programs that are right though nobody would expect them, and one
// of each kind of mistake.

// asReader is what a script prints after the server accepted that many connections, of which used carried a request, when
// the script itself ran for the runs-th time.
type asReader func(accepted, used, runs int64) int64

func TestExercise2TakesEveryRightScriptAndNoWrongOne(t *testing.T) {
	steps := []opening{{3, 5}, {}, {2, 6}}
	const before, usedBefore = 40, 11 // other exercises
	judge := func(reads asReader) Finding {
		accepted, used := int64(before), int64(usedBefore)
		printed := []int64{reads(accepted, used, 1)}
		for i, o := range steps {
			accepted, used = accepted+o.all(), used+o.used
			printed = append(printed, reads(accepted, used, int64(i+2)))
		}
		return judgeReadings(steps, printed, accepted+int64(len(printed))+1)
	}
	for _, c := range []struct {
		what  string
		reads asReader
		want  State
	}{
		{"accepts without its own readings", func(a, _, _ int64) int64 { return a }, Done},
		{"since the script's first run", func(a, _, _ int64) int64 { return a - before }, Done},
		{"with the readings of an earlier day", func(a, _, _ int64) int64 { return a + 4 }, Done},
		{"accepts with its own reading", func(a, _, runs int64) int64 { return a + runs }, "own-readings"},
		{"two readings a run", func(a, _, runs int64) int64 { return a + 2*runs }, "own-readings"},
		{"takes off one reading too many", func(a, _, runs int64) int64 { return a - runs }, "another-number"},
		{"a reading more in each run", func(a, _, runs int64) int64 { return a + runs*runs/2 }, "another-number"},
		{"lines of the log", func(_, used, _ int64) int64 { return used }, "used-only"},
		{"requests with its own", func(_, used, runs int64) int64 { return used + runs }, "another-number"},
		{"connections without a request", func(a, used, _ int64) int64 { return a - used }, "another-number"},
		{"accepted and used together", func(a, used, _ int64) int64 { return a + used }, "another-number"},
		{"open connections", func(_, _, _ int64) int64 { return 1 }, "stands-still"},
		{"a number of its own", func(_, _, _ int64) int64 { return 48 }, "stands-still"},
		{"its own runs", func(_, _, runs int64) int64 { return runs }, "another-number"},
		{"another server, read once a run", func(_, _, runs int64) int64 { return 7 + runs }, "another-number"},
		{"half of them", func(a, _, _ int64) int64 { return a / 2 }, "another-number"},
		{"twice as many", func(a, _, _ int64) int64 { return 2 * a }, "another-number"},
		{"what changed since the last run", func(a, _, runs int64) int64 {
			return a - map[int64]int64{1: 0, 2: before, 3: before + 8, 4: before + 8}[runs]
		}, "another-number"},
		{"reset at each run", func(a, _, runs int64) int64 { return (a - before) * (runs % 2) }, "another-number"},
		{"below zero", func(a, _, _ int64) int64 { return a - 100 }, "impossible"},
		{"readings of a server that was restarted", func(a, _, _ int64) int64 { return a - before - 1 }, "impossible"},
		{"more than there were", func(a, _, _ int64) int64 { return a + 1000 }, "impossible"},
	} {
		finds(t, Exercises[1], c.what, judge(c.reads), c.want)
	}
}

func TestExercise2ReadsOneWholeNumber(t *testing.T) {
	for _, s := range []string{"12", "12\n", " 12 \n", "12\r\n", "\t12", "+12", "012", "12\n\n", "\n12", "0000000012"} {
		if n, f := readCount(outcome{stdout: s}); f.State != Done || n != 12 {
			t.Errorf("%q is read as %d, %s", s, n, says(f))
		}
	}
	if n, f := readCount(outcome{stdout: "12\n", stderr: "reading 7 of mine"}); f.State != Done || n != 12 {
		t.Errorf("with words on stderr: %d, %s", n, says(f))
	}
	for _, s := range []string{"", "\n", "12 13 14", "12\n13", "accepts 12", "12 connections", "12.0", "1e1", "0x0c", "1,234",
		"1 234", "1_234", "twelve", "12;", "nan", "−12", "--12", "12%", "٣", "99999999999999999999", "Active connections: 1"} {
		_, f := readCount(outcome{stdout: s})
		finds(t, Exercises[1], fmt.Sprintf("%q", s), f, "words")
	}
	for what, out := range map[string]outcome{"a status": {stdout: "12\n", status: 1}, "no such program": {stderr: "sh: x: not found",
		status: 127}, "a signal": {stdout: "12\n", status: -1}, "no end": {stdout: "12\n", late: true}} {
		_, f := readCount(out)
		finds(t, Exercises[1], what, f, "fails")
	}
}

func TestExercise3TakesEveryRightScriptAndNoWrongOne(t *testing.T) {
	full := counted{accepted: 700, used: 50, requests: 5000, inFlight: 50, atOnce: 1}
	with := func(change func(c *counted)) counted {
		c := full
		change(&c)
		return c
	}
	for _, c := range []struct {
		what string
		out  outcome
		c    counted
		want State
	}{
		{"one user with fifty loops", outcome{}, full, Done},
		{"two users with half of the loops each", outcome{}, with(func(c *counted) { c.atOnce = 4 }), Done},
		{"a batch of fifty, with k6's bound for a host raised", outcome{}, with(func(c *counted) { c.accepted, c.requests = 300, 2000 }), Done},
		{"a slow machine", outcome{}, with(func(c *counted) { c.requests, c.used, c.accepted, c.inFlight = 600, 6, 200, 41 }), Done},
		{"a readiness request first, then the load", outcome{}, with(func(c *counted) { c.accepted, c.used = 701, 51 }), Done},
		{"five times as many, just enough", outcome{}, with(func(c *counted) { c.accepted, c.inFlight = 250, inFlightLeast }), Done},
		{"some readings a little above fifty", outcome{}, with(func(c *counted) { c.inFlight = 55 }), Done},
		{"a threshold that the stampede crosses", outcome{status: 99, stderr: "thresholds on metrics 'http_req_failed' have been crossed"},
			full, Done},
		{"the script ends itself", outcome{status: 108, stderr: "test aborted: two seconds are over"}, full, Done},
		{"a summary of its own on stdout", outcome{stdout: "accepted: 700\n"}, full, Done},
		{"a warning on stderr", outcome{stderr: "level=warning msg=\"Request Failed\""}, full, Done},

		{"a user for each request in flight", outcome{}, counted{accepted: 103, used: 103, requests: 9000, inFlight: 50, atOnce: 50}, "hidden"},
		{"a connection for each request", outcome{}, counted{accepted: 5000, used: 5000, requests: 5000, inFlight: 50, atOnce: 50}, "hidden"},
		{"one request after the other", outcome{}, counted{accepted: 50, used: 50, requests: 5000, inFlight: 1, atOnce: 1}, "too-few-in-flight"},
		{"k6's batch of six", outcome{}, with(func(c *counted) { c.inFlight = 6 }), "too-few-in-flight"},
		{"the load goes to the backend itself", outcome{}, counted{inFlight: 50}, "too-few-requests"},
		{"the front with the high limit", outcome{}, counted{requests: 3, used: 0, accepted: 1, inFlight: 50}, "too-few-requests"},
		{"fifty in flight at the backend itself, and one at the front", outcome{}, with(func(c *counted) { c.past = 5000 }), "too-few-requests"},
		{"ten pools", outcome{}, with(func(c *counted) { c.atOnce = 10 }), "many-pools"},
		{"ten times the load", outcome{}, with(func(c *counted) { c.inFlight = 128 }), "too-many-in-flight"},
		{"HTTP/2 is switched off", outcome{}, with(func(c *counted) { c.overH1, c.used, c.accepted = 50, 50, 50 }), "http1"},
		{"some connections over HTTP/1.1", outcome{}, with(func(c *counted) { c.overH1 = 1 }), "http1"},
		{"requests that wait for each other", outcome{}, with(func(c *counted) { c.inFlight = 2 }), "too-few-in-flight"},
		{"a stampede of three", outcome{}, with(func(c *counted) { c.accepted = 200 }), "weak"},
		{"hardly any load", outcome{}, with(func(c *counted) { c.requests = leastLoad - 1 }), "too-few-requests"},
		{"a syntax error", outcome{status: 107, stderr: "SyntaxError: there"}, counted{}, "fails"},
		{"an option that k6 doesn't know", outcome{status: 104, stderr: "unknown executor"}, counted{}, "fails"},
		{"an unknown certificate authority", outcome{stderr: "x509: certificate signed by unknown authority"}, counted{}, "too-few-requests"},
		{"k6 is killed", outcome{status: -1}, full, "fails"},
		{"no end", outcome{late: true}, full, "too-long"},
		{"the backend was never seen at work", outcome{}, with(func(c *counted) { c.inFlight = 0 }), "too-few-in-flight"},
	} {
		finds(t, Exercises[2], c.what, judgeK6(c.out, c.c), c.want)
	}
}

// printed is a program's outcome with its line of counts.
func printed(sent, answered, failed int) outcome {
	out := outcome{stdout: fmt.Sprintf("sent=%d answered=%d failed=%d\n", sent, answered, failed)}
	if failed > 0 {
		out.status, out.stderr = 1, "http2: Transport: cannot retry err"
	}
	return out
}

func TestExercise5TakesEveryRightProgramAndNoWrongOne(t *testing.T) {
	const limit = 100
	good := printed(5000, 5000, 0)
	at := func(accepted, used, requests, inFlight, atOnce int64) counted {
		return counted{accepted: accepted, used: used, requests: requests, inFlight: inFlight, atOnce: atOnce}
	}
	for _, c := range []struct {
		what string
		out  outcome
		c    counted
		want State
	}{
		{"one connection to the host", good, at(50, 50, 5000, 50, 1), Done},
		{"a dialler behind a lock", good, at(51, 50, 5000, 50, 2), Done},
		{"a transport of golang.org/x/net/http2", good, at(52, 51, 5000, 49, 2), Done},
		{"connections that are replaced before they reach the limit", good, at(63, 63, 5000, 50, 3), Done},
		{"two connections that overlap", good, at(70, 60, 5000, 44, 4), Done},
		{"half as many again", good, at(75, 50, 5000, 50, 2), Done},
		{"more requests than asked for", printed(20_000, 20_000, 0), at(200, 200, 20_000, 50, 1), Done},
		{"requests that the library sent again", good, at(52, 51, 5140, 50, 2), Done},
		{"lines before the counts", outcome{stdout: "warming up\nsent=1 answered=1 failed=0\n" + good.stdout}, at(50, 50, 5000, 50, 1), Done},
		{"lines behind the counts", outcome{stdout: good.stdout + "done in 1.2 s\n"}, at(50, 50, 5000, 50, 1), Done},
		{"Windows lines", outcome{stdout: "sent=5000 answered=5000 failed=0 dialled=50\r\n"}, at(50, 50, 5000, 50, 1), Done},
		{"words on stderr", outcome{stdout: good.stdout, stderr: "dialled 50 times"}, at(50, 50, 5000, 50, 1), Done},

		{"the original", good, at(622, 50, 5000, 50, 1), "many-dials"},
		{"five connections to the host", good, at(200, 50, 5000, 50, 5), "some-dials"},
		{"two dials at each renewal", good, at(100, 50, 5000, 50, 2), "some-dials"},
		{"one worker", good, at(50, 50, 5000, 1, 1), "too-few-in-flight"},
		{"a lock around each request", good, at(50, 50, 5000, 2, 1), "too-few-in-flight"},
		{"ten workers", good, at(50, 50, 5000, 10, 1), "too-few-in-flight"},
		{"a bound below thirty", good, at(50, 50, 5000, inFlightLeast-1, 1), "too-few-in-flight"},
		{"ten times the workers", good, at(50, 50, 5000, 128, 1), "too-many-in-flight"},
		{"each request twice at once", good, at(100, 100, 10_000, 100, 1), "too-many-in-flight"},
		{"a client for each worker", good, at(50, 50, 5000, 50, 50), "many-pools"},
		{"a client for each request", good, at(5000, 5000, 5000, 50, 50), "many-pools"},
		{"six clients", good, at(54, 54, 5000, 50, 6), "many-pools"},
		{"HTTP/1.1", good, counted{accepted: 50, used: 50, requests: 5000, inFlight: 50, overH1: 50}, "http1"},
		{"HTTP/1.1 for some", good, counted{accepted: 50, used: 50, requests: 5000, inFlight: 50, overH1: 1}, "http1"},
		{"the front with the high limit", good, counted{inFlight: 50}, "too-few-requests"},
		{"half of the requests at another front", good, at(25, 25, 2500, 50, 1), "too-few-requests"},
		{"the load at the backend itself", good, counted{used: 50, requests: 5000, inFlight: 50, past: 5000}, "too-few-requests"},
		{"fewer requests", printed(50, 50, 0), at(1, 1, 50, 50, 1), "too-few-requests"},
		{"answers that it invents", good, at(50, 50, 4900, 50, 1), "failed"},
		{"failures", printed(5000, 4990, 10), at(50, 50, 5000, 50, 1), "failed"},
		{"failures that it doesn't count", printed(5000, 4990, 0), at(50, 50, 5000, 50, 1), "failed"},
		{"all is well, and a status", outcome{stdout: good.stdout, status: 3}, at(50, 50, 5000, 50, 1), "failed"},
		{"a panic", outcome{stderr: "panic: x", status: 2}, at(50, 50, 5000, 50, 1), "crash"},
		{"no counts", outcome{stdout: "ok"}, at(50, 50, 5000, 50, 1), "words"},
		{"counts in other words", outcome{stdout: "5000 sent, 5000 answered, 0 failed"}, at(50, 50, 5000, 50, 1), "words"},
		{"counts on stderr", outcome{stderr: good.stdout}, at(50, 50, 5000, 50, 1), "words"},
		{"no end", outcome{stdout: good.stdout, late: true}, at(50, 50, 5000, 50, 1), "too-long"},
	} {
		f := judgeProgram(5, c.out, c.c, sendsLeast5)
		if f.State == Done {
			f = judgeStampede(c.c, limit)
		}
		finds(t, Exercises[4], c.what, f, c.want)
	}
}

func TestExercise8TakesEveryRightProgramAndNoWrongOne(t *testing.T) {
	good := printed(2000, 2000, 0)
	front := counted{accepted: 100, used: 20, requests: 2000, inFlight: 50, atOnce: 1, posted: 9999}
	with := func(change func(c *counted)) counted {
		c := front
		change(&c)
		return c
	}
	once := ledger{2000, 2000, true}
	for _, c := range []struct {
		what string
		out  outcome
		c    counted
		l    ledger
		want State
	}{
		{"a body that can be read again", good, front, once, Done},
		{"one connection to the host too", good, with(func(c *counted) { c.accepted = 20 }), once, Done},
		{"orders that the library sent again", good, with(func(c *counted) { c.requests = 2060 }), once, Done},
		{"more orders", printed(5000, 5000, 0), with(func(c *counted) { c.requests = 5000 }), ledger{5000, 5000, true}, Done},
		{"a stampede, which isn't this exercise's", good, with(func(c *counted) { c.accepted = 900 }), once, Done},
		{"a connection that is replaced before its limit", good, with(func(c *counted) { c.used, c.accepted = 25, 25 }), once, Done},
		{"words of its own", outcome{stdout: "orders\n" + good.stdout + "bye\n", stderr: "cannot retry, sent again"}, front, once, Done},
		{"a request without an id, to warm up", good, with(func(c *counted) { c.requests = 2001 }), once, Done},
		{"some fewer in flight at the end", good, with(func(c *counted) { c.inFlight = 38 }), once, Done},
		{"two pools", good, with(func(c *counted) { c.atOnce = 4 }), once, Done},

		{"lost", printed(2000, 1900, 100), front, ledger{1900, 1900, true}, "failed"},
		{"lost and twice", printed(2000, 1900, 100), front, ledger{1940, 1900, true}, "lost-and-twice"},
		{"lost, and said to be answered", good, with(func(c *counted) { c.requests = 1900 }), ledger{1900, 1900, true}, "failed"},
		{"twice, and it knows nothing of it", good, with(func(c *counted) { c.requests = 2040 }), ledger{2040, 2000, true}, "twice"},
		{"each order twice to be sure", good, with(func(c *counted) { c.requests = 4000 }), ledger{4000, 2000, true}, "twice"},
		{"a new id for each send", good, with(func(c *counted) { c.requests = 2040 }), ledger{2040, 2040, true}, "ids"},
		{"one id for all", good, front, ledger{2000, 1, true}, "ids"},
		{"one id for two", good, front, ledger{2000, 1000, true}, "ids"},
		{"the ids of the last run", good, front, ledger{2000, 0, true}, "ids"},
		{"no ids", good, front, ledger{}, "ids"},
		{"ids for some", good, front, ledger{1000, 1000, true}, "ids"},
		{"one worker", good, with(func(c *counted) { c.inFlight = 1 }), once, "too-few-in-flight"},
		{"a lock around each order", good, with(func(c *counted) { c.inFlight = 3 }), once, "too-few-in-flight"},
		{"all orders at once", good, with(func(c *counted) { c.inFlight = 128 }), once, "too-many-in-flight"},
		{"so many pools that none reaches its limit", good, with(func(c *counted) { c.atOnce = 50 }), once, "many-pools"},
		{"HTTP/1.1, which loses nothing", good, with(func(c *counted) { c.overH1 = 50 }), once, "http1"},
		{"the front with the high limit", good, counted{inFlight: 50}, once, "too-few-requests"},
		{"fewer orders", printed(200, 200, 0), with(func(c *counted) { c.requests = 200 }), ledger{200, 200, true}, "too-few-requests"},
		{"GET in place of POST, which the library sends again", good, with(func(c *counted) { c.posted = 0 }), once, "other-orders"},
		{"POSTs without a body", good, with(func(c *counted) { c.posted = 0 }), once, "other-orders"},
		{"a body for all but the slow ones", good, with(func(c *counted) { c.posted = 1980 }), once, "other-orders"},
		{"no slow orders", good, front, ledger{2000, 2000, false}, "other-orders"},
		{"orders at the backend itself, and other requests at the front", good, with(func(c *counted) { c.past = 2000 }), once, "too-few-requests"},
		{"no line of counts", outcome{stdout: "booked"}, front, once, "words"},
		{"a panic", outcome{stderr: "panic: send on closed channel", status: 2}, front, once, "crash"},
		{"pauses that add up", outcome{late: true}, front, once, "too-long"},
	} {
		finds(t, Exercises[7], c.what, judgeReplay(c.out, c.c, c.l), c.want)
	}
}

func TestCountsThatContradictEachOtherAreAnError(t *testing.T) {
	for c, want := range map[counted]bool{{accepted: 60, used: 50, requests: 5000}: true, {}: true,
		{requests: 12, accepted: 1}:    true, // readings of a learner's own
		{accepted: 60, requests: 5000}: false, {accepted: 60, used: -3, requests: 5000}: false,
		{accepted: 50, used: 1, requests: 5000}:  false, // the limit was raised while the program ran
		{accepted: 60, used: 46, requests: 5000}: true} {
		if err := c.whole(100); (err == nil) != want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The programs send 5,000 requests in one second, and 100 are the limit of a connection.
func TestConnectionsInUseAtTheSameTimeAreCounted(t *testing.T) {
	begin := time.UnixMilli(1_700_000_000_000)
	at := func(ms float64) time.Time { return begin.Add(time.Duration(ms * float64(time.Millisecond))) }
	var steady, uneven []tick
	for ms := -20.0; ms <= 1020; ms += 4 {
		steady = append(steady, tick{at(ms), 70_000 + int64(min(max(ms, 0), 1000)*5)})
		if ms < 300 || ms > 400 { // the reader had no processor
			uneven = append(uneven, tick{at(ms), 70_000 + int64(min(max(ms, 0), 1000)*5)})
		}
	}
	// pools has k pools begin together, each with a share of the requests.
	pools := func(k int) (out []time.Time) {
		for renewal := 0.0; renewal*100*float64(k) < 5000; renewal++ {
			for i := range k {
				out = append(out, at(renewal*20*float64(k)+float64(i)*0.1))
			}
		}
		return out
	}
	for _, c := range []struct {
		what        string
		first       []time.Time
		ticks       []tick
		least, most int64
	}{
		{"one pool", pools(1), steady, 1, 2},
		{"one pool, read with a gap", pools(1), uneven, 1, 3},
		{"two pools", pools(2), steady, 2, 4},
		{"ten pools", pools(10), steady, 9, 11},
		{"a pool for each worker", pools(50), steady, 49, 51},
		{"pools that begin one after the other", []time.Time{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)}, steady, 6, 8},
		{"no request", nil, steady, 0, 0},
		{"no reading of the backend", pools(50), nil, 40, 60},
	} {
		if got := atOnce(c.first, c.ticks, 100); got < c.least || got > c.most {
			t.Errorf("%s: %d connections at once, want %d to %d", c.what, got, c.least, c.most)
		}
	}
}

func TestTheLogOfFirstRequestsIsRead(t *testing.T) {
	var log strings.Builder
	for _, ms := range []int64{1_700_000_000_500, 1_700_000_000_250} {
		fmt.Fprintf(&log, "%d.%03d 12 1 HTTP/2.0 TLSv1.3 .\n", ms/1000, ms%1000)
	}
	log.WriteString("no line of nginx\n17000.5")
	got := firstRequests([]byte(log.String()))
	if len(got) != 2 || got[0].UnixMilli() != 1_700_000_000_250 || got[1].UnixMilli() != 1_700_000_000_500 {
		t.Errorf("%v", got)
	}
}
