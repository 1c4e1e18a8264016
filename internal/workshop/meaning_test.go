package workshop

import (
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// Each exercise that takes words or numbers has a table: answers that are right though nobody would
// expect their wording, and answers that are wrong though they resemble a right one.

const ownLimit = 97

func limitOf(n int) facts.Limit { return facts.Limit{Effective: &n, ProbedRequests: n} }

func claimed(t *testing.T, name, text string, drains bool, limit facts.Limit) State {
	t.Helper()
	c, ok := parseClaim(text)
	if !ok {
		return statesWords
	}
	f := c.judge(name, drains, limit)
	finds(t, topologies(), name+" "+text, f, f.State)
	return f.State
}

func TestExercise1TakesEveryRightAnswerAndNoWrongOne(t *testing.T) {
	low, open := limitOf(ownLimit), facts.Limit{ProbedRequests: mostAsked}
	for _, c := range []struct {
		name   string
		drains bool
		limit  facts.Limit
		right  []string
		wrong  []string
	}{
		{lowNginx, false, low,
			[]string{"97", "97 requests", "exactly 97", "97 requests per connection", "at most 97", "up to 97", "it got 97.",
				"max 97", "最多 97 个请求", "恰好 97 个", "no more than 97 requests", "the limit is 97", "about 97", "~97"},
			[]string{"98", "96", "193", "100", "1000", "97 or more", "more than 97", "at least 97", "97+", "more than 90",
				"at least 50", "less than 97", "at most 98", "up to 1000", "90-100", "97000", "9.7", "97%", "-97", "97 or 98",
				"ninety", "unlimited", "none", "no limit within 20000", "more than 20000", "some", "?", "0", "97e3"}},
		{lowEnvoy, true, low,
			[]string{"97 or more", "at least 97", "97+", ">= 97", "≥97", "97 and more", "97 and up", "about 97", "≈ 97",
				"97 or higher", "minimum 97", "no fewer than 97", "approximately 97 requests", "97 or more requests", "至少 97 个请求", "97 个以上"},
			[]string{"97", "exactly 97", "98 or more", "96 or more", "more than 97", "at most 97", "up to 97", "100 or more",
				"at least 1", "less than 97", "> 20000", "unlimited", "unlimited (20000 sent)", "193", "193 or more", "many",
				"97 to 103", "90-100", "1 or more", "-97", "0 or more"}},
		{direct, false, open,
			[]string{"more than 20000", "> 20000 requests", "20001 or more", "at least 20000", "over 20,000", "20000+",
				"no limit within 20000 requests", "unlimited, 20000 sent", "not reached after 20000", "more than 20 000",
				"none up to 20000", "beyond 20'000", "never ended: 20001", "≥ 20001", "超过 20000 个请求"},
			[]string{"500", "20000", "100000", "more than 50", "more than 999", "97", "none", "unlimited", "infinite", "no limit",
				"at most 20000", "up to 20000", "less than 100000", "1000 or more", "0", "97 or more", "many", "a lot", "20k",
				"-20000", "2e4", "between 20000 and 30000", "?"}},
	} {
		if len(c.right) < 10 || len(c.wrong) < 20 {
			t.Errorf("%s: %d right and %d wrong answers", c.name, len(c.right), len(c.wrong))
		}
		for _, s := range c.right {
			if got := claimed(t, c.name, s, c.drains, c.limit); got != Done {
				t.Errorf("%s: %q is right, and the check finds %s", c.name, s, got)
			}
		}
		for _, s := range c.wrong {
			if got := claimed(t, c.name, s, c.drains, c.limit); got == Done {
				t.Errorf("%s: %q is wrong, and the check takes it", c.name, s)
			}
		}
	}
	for text, want := range map[string]State{"100000": statesFile, "more than 50": statesNear, "500": statesWrong} {
		finds(t, topologies(), text, judgeOpen(t, text, open), want)
	}
	for text, want := range map[string]State{"97": statesAtLeast, "98 or more": statesNoLimit} {
		c, _ := parseClaim(text)
		finds(t, topologies(), text, c.judge(lowEnvoy, true, low), want)
	}
}

// judgeOpen judges a claim about a front without a limit.
func judgeOpen(t *testing.T, text string, limit facts.Limit) Finding {
	t.Helper()
	c, ok := parseClaim(text)
	if !ok {
		t.Fatalf("%q is not read", text)
	}
	return c.judge(highNginx, false, limit)
}

func TestExercise4TakesEveryRightAnswerAndNoWrongOne(t *testing.T) {
	last, dropped := uint32(193), []uint32{195, 197, 199}
	with := func(key, value string) answers {
		a := answers{"last_stream_id": "193", "requests": "97", "send_again": "above 193", "post_too": "yes"}
		a[key] = value
		return a
	}
	right := map[string][]string{
		"last_stream_id": {"193", "stream 193", "it is 193", "193."},
		"requests":       {"97", "97 requests", "exactly 97", "the limit is 97"},
		"send_again": {"above 193", "> 193", ">193", "all above 193", "streams above last_stream_id", "195 197 199",
			"199, 195, 197", "195, 197 and 199", "greater than the last stream id", "ids > 193", ">= 195", "195 and above",
			"from 195", "195 to 199", "195-199", "every stream with an id higher than 193", "those after 193",
			"195 and higher", "at least 195", "195+", "195/197/199", "the odd streams above 193", "above 194"},
		"post_too": {"yes", "Yes, they were not processed", "yes.", "y", "yes: the server never processed them", "yes, whatever the method",
			"true", "sure, nothing was executed", "yes because they haven't been processed", "safe, any method",
			"yes - no risk of a duplicate", "of course, GOAWAY says so", "they may: never executed", "yes, it is safe",
			"no problem", "yes, POST too", "可以，服务器没有处理"},
	}
	wrong := map[string]struct {
		texts []string
		want  State
	}{
		"last_stream_id": {[]string{"97", "195", "192", "194", "more than 193", "at least 193", "1999", "last", "x"}, goawayID},
		"requests":       {[]string{"193", "96", "98", "100", "97 or more", "three", "6"}, goawayRequests},
		"send_again": {[]string{"below 193", "all", "none", "above 195", "above 192", "193 195 197 199", "195 197", "yes",
			"not above 193", "< 193", ">= 193", "from 193", "195", "1 to 193", "193-199", "195 to 201", "above 97",
			"any", "all of them", "at or below 193", "above 193 except 199", "the last three", "197 and above", "only 199",
			"above 193 if idempotent"}, goawayAgain},
		"post_too": {[]string{"no", "No.", "never", "only if idempotent", "maybe", "unless it was executed", "not safe", "depends",
			"yes, but only if idempotent", "n", "false", "no, a POST may run twice", "dangerous", "it must not", "perhaps",
			"yes if it is idempotent", "unsafe", "cannot", "what?", "post", "no, they were not processed", "sometimes",
			"with an idempotency key", "they may not", "不可以", "只有幂等时可以"}, goawayPost},
	}
	rights, wrongs := 0, 0
	for key, texts := range right {
		for _, s := range texts {
			rights++
			finds(t, goaway(), key+" "+s, judgeGoaway(with(key, lower(t, s)), last, dropped), Done)
		}
	}
	for key, c := range wrong {
		for _, s := range c.texts {
			wrongs++
			finds(t, goaway(), key+" "+s, judgeGoaway(with(key, lower(t, s)), last, dropped), c.want)
		}
	}
	if rights < 10 || wrongs < 20 {
		t.Errorf("%d right and %d wrong answers", rights, wrongs)
	}
}

// lower reads a value as answers.txt is read.
func lower(t *testing.T, value string) string {
	t.Helper()
	a, err := parseAnswers("f", "k = "+value, "k")
	labtest.Check(t, err)
	return a["k"]
}

func TestExercise6TakesEveryRightPriceAndNoWrongOne(t *testing.T) {
	for want, texts := range map[string][]string{
		"memory": {"memory\n", "The connection's pool stays allocated: Memory.", "memory: nginx frees a connection's pool only when " +
			"the connection ends", "the memory of a connection is not freed until it ends", "more RAM per connection",
			"no memory is released before the end", "It costs nothing but memory", "RSS grows", "memory isn't given back",
			"no cost at first, but memory grows"},
		"rebalancing": {"no rebalancing", "a new server gets no traffic", "connections are pinned to one backend", "uneven load",
			"clients stick to the same server", "load is not balanced across new pods", "scaling out doesn't help for hours",
			"connections never move, so nothing is balanced", "bad load balancing"},
		"flood guard": {"the flood guard is 10 times wider", "less protection against floods", "an attacker can send more requests",
			"abuse gets easier", "weaker guard against rapid reset", "no limit for attackers"},
		"age": {"connections become long-lived", "a long reload: old workers keep running", "stale connections", "workers shut down late",
			"old connections survive an upgrade", "certificates aren't picked up by long-lived connections", "a reload takes longer",
			"connections live for hours", "draining takes forever"},
	} {
		for _, text := range texts {
			if got := namedPrice(text); got != want {
				t.Errorf("%q names %q, want %q", text, got, want)
			}
		}
	}
	for _, text := range []string{"it is slow", "# memory\n", "", "I remember nothing", "average", "no memory cost at all",
		"none, memory is fine", "it doesn't cost memory", "no extra memory", "less memory", "it saves memory", "memory is not affected",
		"memory stays the same", "memory use isn't higher", "there is no price", "nothing", "for free", "no downside: memory is cheap",
		"better load balancing", "balancing is unaffected", "easier deployments", "no risk of attacks", "better protection against floods",
		"it prevents attacks", "no stale connections", "faster reloads", "reloads are faster", "fewer certificates", "100000", "yes",
		"memory costs nothing", "without any memory"} {
		if got := namedPrice(text); got != "" {
			t.Errorf("%q names no price, and the check reads %q", text, got)
		}
	}
}
