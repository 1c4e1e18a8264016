package workshop

import (
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func limitOf(n int) facts.Limit { return facts.Limit{Effective: &n, ProbedRequests: n} }

// open is the limit of a server that ended no connection.
var open = facts.Limit{ProbedRequests: mostAsked}

// limited judges answers about a front of exercise 1.
func limited(t *testing.T, name string, drains bool, l facts.Limit) func(string) State {
	return func(said string) State {
		if c, ok := parseAmount(said); !ok || c.least == 0 {
			return "words"
		}
		f := judgeClaim(said, name, drains, l)
		finds(t, Exercises[0], name+" "+said, f, f.State)
		return f.State
	}
}

// keyed judges answers to one question of an exercise whose other questions are answered right.
func keyed(t *testing.T, e Exercise, key string, right answers, judge func(answers) Finding) func(string) State {
	return func(said string) State {
		a, err := parseAnswers("f", key+" = "+said, key)
		labtest.Check(t, err)
		for k, v := range right {
			if k != key {
				a[k] = v
			}
		}
		f := judge(a)
		finds(t, e, key+" "+said, f, f.State)
		return f.State
	}
}

func onGoaway(t *testing.T, key string) func(string) State {
	right := answers{"last_stream_id": "193", "requests": "97", "send_again": "above 193", "post_too": "yes"}
	return keyed(t, Exercises[3], key, right, func(a answers) Finding { return judgeGoaway(a, 193, []uint32{195, 197, 199}) })
}

func onStages(t *testing.T, key string) func(string) State {
	right := answers{"envoy-low.stages": "2", "envoy-low.first_last_stream_id": "2147483647", "envoy-low.dropped": "0",
		"nginx-low.stages": "1", "nginx-low.first_last_stream_id": "193", "nginx-low.dropped": "6"}
	return keyed(t, Exercises[6], key, right, func(a answers) Finding { return judgeStages(a, []oneTrace{{2, 1<<31 - 1, 0}, {1, 193, 6}}) })
}

func onUnknown(t *testing.T, key, closing string) func(string) State {
	right := answers{"limit": "437", "family": families[closing].name, "change": families[closing].setting}
	return keyed(t, Exercises[9], key, right, func(a answers) Finding {
		return judgeUnknown(a, facts.Limit{Effective: new(437), Closing: closing})
	})
}

func onFactor(said string) State {
	v, ok := parseFactor(said)
	if !ok {
		return "words"
	}
	return judgeHandshakes([2]float64{v, 6.2}, [2]float64{5.7, 6.2}, [2]float64{5.5, 6}).State
}

func onPrice(said string) State {
	if namedPrice(said).IsZero() {
		return "price"
	}
	return Done
}

// An answer has the form that the exercise's file shows: right answers in this form are taken, and no wrong one, in
// whatever form.
func TestRightAnswersAreTakenAndNoWrongOne(t *testing.T) {
	for _, c := range []struct {
		what         string
		judge        func(string) State
		right, wrong string // separated by |
	}{
		{"nginx's limit", limited(t, lowNginx, false, limitOf(97)), "97|97 requests|97 个请求", "98|96|193|97 or more|at least 97|97+|more than 97|-97|9.7|97 or 98|ninety||0"},
		{"Envoy's limit", limited(t, lowEnvoy, true, limitOf(97)), "97 or more|at least 97|97+|>= 97|97 或更多|至少 97 个请求",
			"97|98 or more|96 or more|more than 97|193 or more|at least 97 or more|1 or more"},
		{"no limit", limited(t, direct, false, open), "more than 20000|> 20000|more than 20,000|20001 or more|超过 20000 个请求",
			"500|20000|100000|more than 50|none|no limit|0|1000 or more|2e4|99999999999999999999"},
		{"last_stream_id", onGoaway(t, "last_stream_id"), "193|0193", "97|195|above 193|at least 193|1930|last"},
		{"requests", onGoaway(t, "requests"), "97|97 requests", "193|96|98|97 or more|three"},
		{"send_again", onGoaway(t, "send_again"), "above 193|> 193|>= 195|at least 195|大于 193|195 197 199|199, 195, 197|195、197、199|above 194",
			"below 193|all|none|above 195|above 192|193 195 197 199|195 197|193|from 193|not above 193|"},
		{"post_too", onGoaway(t, "post_too"), "yes|Yes.|y|是|可以", "no|maybe|yes, but only if idempotent|不可以|post"},
		{"stages", onStages(t, "envoy-low.stages"), "2", "1|three|2 or more|20"},
		{"the first id", onStages(t, "envoy-low.first_last_stream_id"), "2147483647|2,147,483,647", "193|2147483648|2^31"},
		{"dropped", onStages(t, "nginx-low.dropped"), "6|6 streams|6 个流", "0|none|5|7 or more"},
		{"a factor", onFactor, "5.7|5,7|5.7x|5.7 倍|6", "50|0.175|1|3|11|0|-5.7|5.7%|many||NaN|Inf|1e9"},
		{"a price", onPrice, "b|D|# why\n  (b)\n", "a|c|e||b d|memory|# b"},
		{"nginx's limit, unknown", onUnknown(t, "limit", oneStage), "437", "436|438|437 or more|many"},
		{"nginx", onUnknown(t, "family", oneStage), "nginx|NGINX", "envoy|nginx or envoy|not nginx|"},
		{"nginx's setting", onUnknown(t, "change", oneStage), "keepalive_requests|keepalive_requests;", "max_requests_per_connection|keepalive_timeout|limit"},
		{"Envoy's limit, unknown", onUnknown(t, "limit", twoStages), "437|437 or more", "438|more than 437"},
		{"Envoy's setting", onUnknown(t, "change", twoStages), "max_requests_per_connection:", "keepalive_requests"},
	} {
		for said := range strings.SplitSeq(c.right, "|") {
			if got := c.judge(said); got != Done {
				t.Errorf("%s: %q is right, and the check finds %s", c.what, said, got)
			}
		}
		for said := range strings.SplitSeq(c.wrong, "|") {
			if got := c.judge(said); got == Done {
				t.Errorf("%s: %q is wrong, and the check takes it", c.what, said)
			}
		}
	}
}

func TestAWrongAnswerIsSaidToBeWrongInItsWay(t *testing.T) {
	for text, want := range map[string]State{"100000": "from-a-file", "more than 50": "not-far-enough", "500": "wrong"} {
		if got := limited(t, highNginx, false, open)(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]State{"97": "at-least", "98 or more": "beyond-the-limit"} {
		if got := limited(t, lowEnvoy, true, limitOf(97))(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	finds(t, Exercises[9], "an ending that is neither", judgeUnknown(answers{"limit": "437"},
		facts.Limit{Effective: new(437), Closing: "connection-close"}), "family")
}

func TestExercise9ComparesTheAnswerWithTwoMeasurements(t *testing.T) {
	kept, measured := [2]float64{5.7, 6.2}, [2]float64{5.5, 6}
	for _, c := range []struct {
		said, kept [2]float64
		want       State
	}{
		{[2]float64{5.7, 6.2}, kept, Done},
		{[2]float64{5.7, 60}, kept, "resumption"},
		{[2]float64{50, 6.2}, kept, "ecdsa"},
		{[2]float64{0.175, 6.2}, kept, "upside-down"},
		{[2]float64{2.44, 6.2}, kept, "other-server"},
		{[2]float64{4, 6.2}, kept, "not-its-own"},                     // a guess that a factor of two forgave
		{[2]float64{20, 6.2}, [2]float64{20, 6.2}, "another-machine"}, // the files of another machine
	} {
		finds(t, Exercises[8], fmt.Sprint(c.said), judgeHandshakes(c.said, c.kept, measured), c.want)
	}
}

func TestExercise9NeedsTheLearnersOwnMeasurement(t *testing.T) {
	d := &Desk{Root: t.TempDir()}
	labtest.Write(t, d.path(9, answersFile), "ecdsa_times_cheaper = 5.7\nresumption_times_cheaper = 6.2\n")
	doc := func(key, measured string) string {
		return `{"schema_version": 1, "asked": {"key": "` + key + `", "tls": "1.3"}, "handshake": {"measured": ` + measured + `}}`
	}
	const good = `{"full_ms": 1.2, "full_lo_ms": 1.1, "full_hi_ms": 1.3, "count": 251, "resumed_ms": 0.2, "resumed_lo_ms": 0.1, ` +
		`"resumed_hi_ms": 0.3, "resumed_count": 464}`
	for _, c := range []struct {
		what, rsa, ecdsa string
		want             State
	}{
		{"neither file", "", "", "no-measurement"},
		{"one file", doc("rsa", good), "", "no-measurement"},
		{"not JSON", doc("rsa", good), "5.7", "no-measurement"},
		{"the same key twice", doc("rsa", good), doc("rsa", good), "no-measurement"},
		{"not measured", doc("rsa", "null"), doc("ecdsa", good), "no-measurement"},
		{"zero", doc("rsa", good), doc("ecdsa", `{"full_ms": 0}`), "no-measurement"},
		{"typed by hand", doc("rsa", good), doc("ecdsa", `{"full_ms": 0.2, "resumed_ms": 0.2}`), "no-measurement"},
		{"an edited median", doc("rsa", strings.Replace(good, "1.2", "5.7", 1)), doc("ecdsa", good), "no-measurement"},
		{"no resumed handshakes", doc("rsa", good), doc("ecdsa", strings.Replace(good, "464", "0", 1)), "no-measurement"},
		{"TLS 1.2", doc("rsa", good), strings.Replace(doc("ecdsa", good), `"1.3"`, `"1.2"`, 1), "no-measurement"},
		{"both", doc("rsa", good), doc("ecdsa", good), Done},
	} {
		for i, text := range []string{c.rsa, c.ecdsa} {
			if text != "" {
				labtest.Write(t, d.path(9, handshakeFiles[i]), text)
			}
		}
		_, f, err := d.keptHandshakes()
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		finds(t, Exercises[8], c.what, f, c.want)
	}
}
