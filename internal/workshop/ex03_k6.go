package workshop

import (
	"context"
	"path/filepath"
	"time"

	"h2lab/internal/lab/native"
)

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

var loadPoolsHints = Hints{
	"one application has one pool: how many does your script have?",
	"each virtual user of k6 has a pool of its own, and each pool has a connection in use",
	"the requests of one user share its connection: let fewer users keep more requests under way each",
}

// k6 is exercise 3: a script that shows the stampede.
func k6() Exercise {
	return Exercise{
		Number: 3, Name: "k6", Files: []string{loadScript}, NeedsLab: true,
		Check: checkK6,
		Hints: map[State]Hints{
			stateFormat: formatHints,
			loadFails: {
				"k6 stopped with an error message: it names the line",
				"run k6 as in chapter 3, with the lab's certificate authority in its environment",
				"a function that uses await must be declared async; and k6 has another call for asynchronous " +
					"requests",
			},
			loadLate: {
				"two seconds of load are enough",
				"what ends your script: its options, or its own clock?",
				"a loop without a time check runs until k6 stops it; check the time before each request",
			},
			loadQuiet: {
				"the server got hardly any requests: is it the right front, and does the load last long enough?",
				"the environment has the address; two seconds at full speed give thousands of requests",
				"each loop should send its next request as soon as it has an answer, until the time is over",
			},
			loadFew: {
				"the exercise asks for fifty requests in flight: how many are there at any moment?",
				"a batch waits until all of its requests are answered, and k6 limits the requests of a batch to one host",
				"count the loops that have a request under way at the same time; the environment's address must stay, since " +
					"its requests take some milliseconds",
			},
			loadMany: {
				"more requests in flight make a larger stampede, but the question is about fifty",
				"how many users does your script have, and how many requests does each keep under way?",
				"the product of users and loops of each user should be fifty",
			},
			loadPools: loadPoolsHints,
			loadH1: {
				"the connections spoke HTTP/1.1",
				"k6 speaks HTTP/2 if the server offers it: what disables it?",
				"check the environment of k6, and the scheme of the address",
			},
			loadHidden: {
				"how many connections does each virtual user have, and how many requests does it have in flight on " +
					"them?",
				"k6 gives every virtual user a pool of its own: with one request at a time there is one waiter, and " +
					"so one dial, at each renewal",
				"an application is one pool with many requests in flight: fewer virtual users, and within one of " +
					"them many requests that don't wait for each other",
			},
			loadWeak: {
				"there is a stampede, but a small one: what determines its size?",
				"each waiting request may dial: count the requests in flight on one pool when its connection " +
					"reaches the limit",
				"let one virtual user keep some fifty requests in flight all the time: fifty loops, each with its " +
					"own next request",
			},
		},
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
