package workshop

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/facts"
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

func TestClaimsAboutALimit(t *testing.T) {
	limited := func(n int) facts.Limit { return facts.Limit{Effective: &n, ProbedRequests: n} }
	open := facts.Limit{ProbedRequests: mostAsked}
	for _, c := range []struct {
		name, claim string
		limit       facts.Limit
		want        State
	}{
		{lowNginx, "100", limited(100), Done},
		{lowNginx, "101", limited(100), statesWrong},
		{lowNginx, "199", limited(100), statesWrong},
		{lowNginx, "100 or more", limited(100), statesWrong}, // nginx serves not one more
		{lowEnvoy, "100", limited(100), Done},
		{lowEnvoy, "100 or more", limited(100), Done},
		{lowEnvoy, "at least 100", limited(100), Done},
		{lowEnvoy, "100+", limited(100), Done},
		{lowNginx, "more than 100", limited(100), statesNoLimit},
		{highNginx, "100000", open, statesFile},
		{highNginx, "more than 20000", open, Done},
		{highNginx, "> 20000 requests", open, Done},
		{highNginx, "more than 99999", open, Done},
		{highNginx, "more than 50", open, statesNear},
		{direct, "500", open, statesWrong},
		{direct, "1000 or more", open, statesWords},
	} {
		said, ok := parseClaim(c.claim)
		if !ok {
			t.Errorf("%q is not read", c.claim)
			continue
		}
		finds(t, topologies(), c.name+" "+c.claim, said.judge(c.name, c.limit), c.want)
	}
	for _, s := range []string{"unlimited", "", "more than", "-5", "0", "1e3", "99999999999999999"} {
		if c, ok := parseClaim(s); ok {
			t.Errorf("%q is taken for %v", s, c)
		}
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
}

func TestWhatALoadShows(t *testing.T) {
	for _, c := range []struct {
		what string
		out  outcome
		c    counted
		want State
	}{
		{"a stampede", outcome{}, counted{accepted: 700, used: 50, requests: 5000}, Done},
		{"just enough", outcome{}, counted{accepted: 250, used: 50, requests: 5000}, Done},
		{"a connection for each user", outcome{}, counted{accepted: 103, used: 103, requests: 9000}, loadHidden},
		{"a few in flight", outcome{}, counted{accepted: 150, used: 50, requests: 5000}, loadWeak},
		{"nothing", outcome{}, counted{}, loadQuiet},
		{"http/1.1", outcome{}, counted{accepted: 300, used: 50, requests: 5000, overH1: 50}, loadH1},
		{"a syntax error", outcome{status: 107, stderr: "x\nSyntaxError: there\n"}, counted{}, loadFails},
		{"no end", outcome{late: true}, counted{accepted: 300, used: 50, requests: 5000}, loadLate},
	} {
		finds(t, k6(), c.what, judgeK6(c.out, c.c), c.want)
	}
}

func TestAnswersAboutAGoaway(t *testing.T) {
	dropped := []uint32{201, 203, 205}
	right := func(key, value string) answers {
		a := answers{"last_stream_id": "199", "requests": "100", "send_again": "above 199", "post_too": "yes"}
		if key != "" {
			a[key] = value
		}
		return a
	}
	finds(t, goaway(), "right", judgeGoaway(right("", ""), 199, dropped), Done)
	finds(t, goaway(), "the count as id", judgeGoaway(right("last_stream_id", "100"), 199, dropped), goawayID)
	finds(t, goaway(), "the id as count", judgeGoaway(right("requests", "199"), 199, dropped), goawayRequests)
	finds(t, goaway(), "no post", judgeGoaway(right("post_too", "no"), 199, dropped), goawayPost)
	for _, s := range []string{"above 199", "> 199", ">199", "all above 199", "streams above last_stream_id",
		"201 203 205", "205, 201, 203", "201, 203 and 205", "greater than the last stream id", "ids > 199"} {
		finds(t, goaway(), s, judgeGoaway(right("send_again", s), 199, dropped), Done)
	}
	for _, s := range []string{"below 199", "all", "none", "above 200", "199 201 203 205", "201 203", "yes",
		"not above 199", "< 199", ">= 199"} {
		finds(t, goaway(), s, judgeGoaway(right("send_again", s), 199, dropped), goawayAgain)
	}
}

func TestProgramsAreJudgedByWhatTheServerCounted(t *testing.T) {
	good := outcome{stdout: "sent=5000 answered=5000 failed=0 dialled=50\n"}
	full := counted{accepted: 50, used: 50, requests: 5000}
	for _, c := range []struct {
		what string
		out  outcome
		c    counted
		want State
	}{
		{"one dial each", good, full, Done},
		{"half as many again", good, counted{accepted: 75, used: 50, requests: 5000}, Done},
		{"twice", good, counted{accepted: 100, used: 50, requests: 5000}, dialsSome},
		{"a stampede", good, counted{accepted: 622, used: 50, requests: 5000}, dialsMany},
		{"http/1.1", good, counted{accepted: 50, used: 50, requests: 5000, overH1: 50}, programH1},
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
			f = judgeStampede(c.c)
		}
		finds(t, stampede(), c.what, f, c.want)
	}
}

func TestTheLedgerHasTheLastWordOnReplays(t *testing.T) {
	good := outcome{stdout: "sent=2000 answered=2000 failed=0 sends=2000\n"}
	bad := outcome{stdout: "sent=2000 answered=1900 failed=100 sends=2040\n", stderr: "cannot retry err", status: 1}
	front := counted{accepted: 100, used: 20, requests: 2000}
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
}

func TestStagesOfTwoServers(t *testing.T) {
	traces := []oneTrace{{2, 1<<31 - 1, 0}, {1, 199, 3}}
	values := []string{"2", "2^31-1", "0", "1", "199", "3"}
	with := func(at int, v string) answers {
		a := answers{}
		for i, key := range stageKeys() {
			if a[key] = values[i]; i == at {
				a[key] = v
			}
		}
		return a
	}
	finds(t, envoy(), "right", judgeStages(with(-1, ""), traces), Done)
	for at, want := range []State{stagesCount, stagesFirst, stagesDropped, stagesCount, stagesFirst, stagesDropped} {
		finds(t, envoy(), stageKeys()[at], judgeStages(with(at, "7"), traces), want)
		finds(t, envoy(), stageKeys()[at], judgeStages(with(at, "many"), traces), want)
	}
}

func TestPricesOfHandshakes(t *testing.T) {
	measured := [2]float64{5.5, 6}
	for _, c := range []struct {
		said [2]float64
		want State
	}{
		{[2]float64{5, 6}, Done}, {[2]float64{3, 11}, Done},
		{[2]float64{50, 6}, tlsECDSA}, {[2]float64{5, 60}, tlsResumed},
		{[2]float64{0.18, 6}, tlsUpside}, {[2]float64{2.4, 2.6}, tlsNotClean},
	} {
		finds(t, handshakes(), fmt.Sprint(c.said), judgeHandshakes(c.said, measured), c.want)
	}
}

func TestTheMysteryIsSolvedOnTheWire(t *testing.T) {
	n := 437
	nginx := facts.Limit{Effective: &n, Closing: oneStage}
	envoys := facts.Limit{Effective: &n, Closing: twoStages}
	for _, c := range []struct {
		what                  string
		limit, family, change string
		wire                  facts.Limit
		want                  State
	}{
		{"nginx", "437", "nginx", "keepalive_requests 100000;", nginx, Done},
		{"envoy", "437", "envoy (istio, …)", "max_requests_per_connection", envoys, Done},
		{"another limit", "436", "nginx", "keepalive_requests", nginx, mysteryLimit},
		{"no number", "many", "nginx", "keepalive_requests", nginx, mysteryLimit},
		{"believes the header", "437", "nginx", "keepalive_requests", envoys, mysteryFamily},
		{"the other's word", "437", "envoy", "keepalive_requests", envoys, mysteryChange},
		{"an ending that is neither", "437", "go", "x", facts.Limit{Effective: &n, Closing: "connection-close"},
			mysteryFamily},
	} {
		finds(t, unknown(), c.what,
			judgeUnknown(answers{"limit": c.limit, "family": c.family, "change": c.change}, c.wire), c.want)
	}
}

func TestPricesAreKnownByTheirWords(t *testing.T) {
	for text, want := range map[string]string{
		"memory\n": "memory", "The connection's pool stays allocated: Memory.": "memory",
		"no rebalancing": "rebalancing", "a new server gets no traffic": "rebalancing",
		"the flood guard is 10 times wider": "flood guard",
		"connections become long-lived":     "age", "it is slow": "", "# memory\n": "", "": "",
		"I remember nothing": "",
		"average":            "",
	} {
		if got := namedPrice(text); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
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
