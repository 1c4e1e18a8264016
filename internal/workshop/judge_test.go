package workshop

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// finds compares a judgement with the expected state, and checks that the exercise has hints for
// that state.
func finds(t *testing.T, e Exercise, what string, got Finding, want State) {
	t.Helper()
	if got.State != want {
		t.Errorf("exercise %d, %s: %s (%s), want %s", e.Number, what, got.State, got.Says, want)
	}
	if got.State != Done && e.Hints[got.State] == (Hints{}) {
		t.Errorf("exercise %d has no hints for %s", e.Number, got.State)
	}
	if strings.Contains(got.Says, "%!") || strings.HasSuffix(got.Says, ".") || strings.Contains(got.Says, "\n") {
		t.Errorf("exercise %d, %s: %q is no sentence", e.Number, what, got.Says)
	}
}

func TestCountsOfConnections(t *testing.T) {
	steps := []opening{{3, 5}, {}, {2, 6}}
	for want, moved := range map[State][]int64{
		Done: {8, 0, 8}, countOwn: {9, 1, 9}, countUsed: {3, 0, 2}, countStands: {0, 0, 0}, countAnother: {9, 0, 7},
	} {
		finds(t, counting(), fmt.Sprint(moved), judgeCounting(steps, moved), want)
	}
	finds(t, counting(), "two readings a run", judgeCounting(steps, []int64{10, 2, 10}), countOwn)
	finds(t, counting(), "one too few each time", judgeCounting(steps, []int64{7, -1, 7}), countAnother)
	for printed, want := range map[int64]State{0: Done, 40: Done, 41: Done, 42: countNever, -1: countNever, -56: countNever,
		1 << 40: countNever} {
		finds(t, counting(), fmt.Sprint("the first number is ", printed), judgeCount(printed, 41), want)
	}
}

func TestWhatALoadShows(t *testing.T) {
	for _, c := range []struct {
		what string
		out  outcome
		c    counted
		want State
	}{
		{"a stampede", outcome{}, counted{accepted: 700, used: 50, requests: 5000, inFlight: 50}, Done},
		{"just enough", outcome{}, counted{accepted: 250, used: 50, requests: 5000, inFlight: inFlightLeast}, Done},
		{"a connection for each user", outcome{}, counted{accepted: 103, used: 103, requests: 9000, inFlight: 50}, loadHidden},
		{"a stampede of two", outcome{}, counted{accepted: 150, used: 50, requests: 5000, inFlight: 48}, loadWeak},
		{"a batch of six", outcome{}, counted{accepted: 300, used: 50, requests: 5000, inFlight: 6}, loadFew},
		{"nothing was seen in flight", outcome{}, counted{accepted: 300, used: 50, requests: 5000}, loadFew},
		{"ten pools with a stampede each", outcome{}, counted{accepted: 500, used: 60, requests: 5000, inFlight: 50, atOnce: 10}, loadPools},
		{"two users with half of the loops each", outcome{}, counted{accepted: 700, used: 50, requests: 5000, inFlight: 50, atOnce: 4}, Done},
		{"500 in flight", outcome{}, counted{accepted: 3000, used: 50, requests: 5000, inFlight: 128}, loadMany},
		{"nothing", outcome{}, counted{}, loadQuiet},
		{"http/1.1", outcome{}, counted{accepted: 300, used: 50, requests: 5000, overH1: 50}, loadH1},
		{"a syntax error", outcome{status: 107, stderr: "x\nSyntaxError: there\n"}, counted{}, loadFails},
		{"no end", outcome{late: true}, counted{accepted: 300, used: 50, requests: 5000}, loadLate},
	} {
		finds(t, k6(), c.what, judgeK6(c.out, c.c), c.want)
	}
}

func TestProgramsAreJudgedByWhatTheServerCounted(t *testing.T) {
	good := outcome{stdout: "sent=5000 answered=5000 failed=0 dialled=50\n"}
	full := counted{accepted: 50, used: 50, requests: 5000, inFlight: 50}
	for _, c := range []struct {
		what string
		out  outcome
		c    counted
		want State
	}{
		{"one dial each", good, full, Done},
		{"half as many again", good, counted{accepted: 75, used: 50, requests: 5000, inFlight: 49}, Done},
		{"twice", good, counted{accepted: 100, used: 50, requests: 5000, inFlight: 50}, dialsSome},
		{"a stampede", good, counted{accepted: 622, used: 50, requests: 5000, inFlight: 50}, dialsMany},
		{"http/1.1", good, counted{accepted: 50, used: 50, requests: 5000, overH1: 50}, programH1},
		{"one in flight", good, counted{accepted: 50, used: 50, requests: 5000, inFlight: 1}, programNarrow},
		{"a lock around each request", good, counted{accepted: 50, used: 50, requests: 5000, inFlight: 2}, programNarrow},
		{"500 in flight", good, counted{accepted: 50, used: 50, requests: 5000, inFlight: 128}, programWide},
		{"a client for each worker", good, counted{accepted: 60, used: 60, requests: 5000, inFlight: 50, atOnce: 50}, programPools},
		{"two connections to the host", good, counted{accepted: 52, used: 52, requests: 5000, inFlight: 50, atOnce: 4}, Done},
		{"another front", good, counted{}, programFew},
		{"less work", outcome{stdout: "sent=50 answered=50 failed=0"}, counted{accepted: 1, used: 1, requests: 50},
			programFew},
		{"failures", outcome{
			stdout: "sent=5000 answered=4990 failed=10",
			stderr: "why",
			status: 1,
		}, full, programFailed},
		{"failures that it keeps quiet", outcome{stdout: "sent=5000 answered=4990 failed=0"}, full, programFailed},
		{"a panic", outcome{stderr: "panic: x\n\ngoroutine 1", status: 2}, full, programCrash},
		{"no account", outcome{stdout: "ok"}, full, programWords},
		{"no end", outcome{late: true}, full, programLate},
	} {
		f := judgeProgram(5, c.out, c.c, sendsLeast5)
		if f.State == Done {
			f = judgeStampede(c.c, 100)
		}
		finds(t, stampede(), c.what, f, c.want)
	}
}

func TestTheLedgerHasTheLastWordOnReplays(t *testing.T) {
	good := outcome{stdout: "sent=2000 answered=2000 failed=0 sends=2000\n"}
	bad := outcome{stdout: "sent=2000 answered=1900 failed=100 sends=2040\n", stderr: "cannot retry err", status: 1}
	front := counted{accepted: 100, used: 20, requests: 2000, inFlight: 50}
	for _, c := range []struct {
		what string
		out  outcome
		l    ledger
		want State
	}{
		{"each once", good, ledger{2000, 2000}, Done},
		{"twice", good, ledger{2040, 2000}, replayTwice},
		{"lost", bad, ledger{1900, 1900}, programFailed},
		{"lost and twice", bad, ledger{1940, 1900}, replayBoth},
		{"one id for two", good, ledger{2000, 1000}, replayIDs},
		{"no ids", good, ledger{0, 0}, replayIDs},
	} {
		finds(t, replay(), c.what, judgeReplay(c.out, front, c.l), c.want)
	}
	alone := counted{accepted: 20, used: 20, requests: 2000, inFlight: 1}
	many := counted{accepted: 50, used: 50, requests: 2000, inFlight: 50, atOnce: 50}
	finds(t, replay(), "so many pools that none reaches its limit", judgeReplay(good, many, ledger{2000, 2000}), programPools)
	finds(t, replay(), "one in flight", judgeReplay(good, alone, ledger{2000, 2000}), programNarrow)
}

func TestAMissingFileNamesTheCommandThatMakesIt(t *testing.T) {
	d := &Desk{Root: t.TempDir()}
	for _, e := range Exercises() {
		_, err := e.Verify(t.Context(), d)
		var missing *MissingError
		if !errors.As(err, &missing) || missing.Next != "make workshop" {
			t.Errorf("exercise %d: %v", e.Number, err)
		}
	}
}
