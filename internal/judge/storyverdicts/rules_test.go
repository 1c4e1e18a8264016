package storyverdicts

import (
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// slower makes a cell's users wait and get less, without any damage of the renewals.
func slower(t *facts.Trial) {
	p := *t.LatencyMS.P99 * 3
	t.GoodputRPS, t.LatencyMS.P99 = t.GoodputRPS/2, &p
}

func noDamage(t *facts.Trial) {
	zero := int64(0)
	t.Succeeded, t.Failed, t.Errors = t.Attempts, 0, nil
	t.Connections = facts.Connections{Accepted: &zero, Used: &zero, Expected: &zero, UsedUp: &zero}
	t.Backend.Duplicates = &zero
}

// asFast gives a trial the users' figures of the gateway alone.
func asFast(run *facts.Result) change {
	cut := run.Cell(chain.Gateway, facts.H2, OkHttp3)
	n := 0
	return edit(chain.Incident(), func(t *facts.Trial) {
		t.GoodputRPS, t.LatencyMS = cut.Trials[n%6].GoodputRPS, cut.Trials[n%6].LatencyMS
		n++
	})
}

func TestIncident(t *testing.T) {
	at := chain.Incident()
	judgeEach(t, "story-incident", []fact{
		{"as it was met", story(), facts.Reproduced, "288 connections accepted, 24 expected"},
		{"with four trials", story(first(4)), facts.Reproduced, "executed again"},
		{"three trials can't show a difference", story(first(3)), facts.Inconclusive, "Raise TRIALS"},
		{"one trial", story(first(1)), facts.Inconclusive, "Raise TRIALS"},
		{"the counts alone", story(asFast(story())), facts.Inconclusive, "not all of it is beyond noise"},
		{"slow without any damage", story(edit(at, noDamage), edit(at, slower)), facts.NotReproduced, "no connection reached"},
		{"like the gateway alone", story(like(at, chain.Cut())), facts.NotReproduced, "no connection reached the limit"},
		{"no gateway alone", story(drop(chain.Cut())), facts.Inconclusive, "envoy.h2.resttemplate-okhttp3 was not measured"},
		{"nothing answered", story(edit(chain.Cut(), func(t *facts.Trial) {
			t.GoodputRPS, t.LatencyMS = 0, facts.Latency{}
		})), facts.Inconclusive, "Look at the failures"},
		{"unsupported", story(func(r *facts.Result) {
			c := r.Cell(chain.Gateway, facts.H2, OkHttp3)
			c.Trials, c.Unsupported = nil, facts.T("verdict.recorded", "Envoy is not installed")
		}), facts.Unsupported, "Envoy is not installed"},
	})
}

func TestPool(t *testing.T) {
	judgeEach(t, "story-pool", []fact{
		{"changes nothing", story(), facts.Reproduced, "pool as it is"},
		{"three trials", story(first(3)), facts.Inconclusive, "Raise TRIALS"},
		{"a pool that helps", story(like(chain.Pool(), chain.Cut())), facts.NotReproduced, "service.settings"},
		{"only the goodput differs", story(edit(chain.Pool(), func(t *facts.Trial) { t.GoodputRPS *= 1.5 })),
			facts.Inconclusive, "Raise TRIALS"},
		{"no damage, and no better", story(edit(chain.Pool(), noDamage)), facts.Inconclusive, "Raise TRIALS"},
		{"not measured", story(drop(chain.Pool())), facts.Inconclusive, "pool100 was not measured"},
	})
}

func TestSuspects(t *testing.T) {
	slowAPI := edit(chain.Incident(), func(t *facts.Trial) {
		p := *t.LatencyMS.P99 - 20
		t.Backend.HandledMS = &facts.Latency{P50: t.Backend.HandledMS.P50, P99: &p}
	})
	slowRow := edit(chain.Incident(), func(t *facts.Trial) {
		p := *t.LatencyMS.P99 / 2
		t.Service.RowMS.P99 = &p
	})
	unread := edit(chain.Incident(), func(t *facts.Trial) { t.Backend.HandledMS, t.Service = nil, nil })
	judgeEach(t, "story-api", []fact{
		{"it isn't us", story(), facts.Reproduced, "it explains 0 % of the rise"},
		{"it is", story(slowAPI), facts.NotReproduced, "of the rise"},
		{"its times were not read", story(unread), facts.Inconclusive, "have no such times"},
		{"no rise", story(asFast(story())), facts.Inconclusive, "no rise to explain"},
		{"three trials", story(first(3)), facts.Inconclusive, "no rise to explain"},
	})
	judgeEach(t, "story-row", []fact{
		{"it isn't the database", story(), facts.Reproduced, "it explains 0 % of the rise"},
		{"it is", story(slowRow), facts.NotReproduced, "of the rise"},
		{"its times were not read", story(unread), facts.Inconclusive, "have no such times"},
	})
}

func TestProxy(t *testing.T) {
	in := chain.Incident()
	judgeEach(t, "story-proxy", []fact{
		{"the proxy is the place", story(), facts.Reproduced, "nginx-1000-envoy"},
		{"one trial", story(first(1)), facts.Reproduced, ""},
		{"no damage", story(like(in, chain.Cut())), facts.NotReproduced, "does none either"},
		{"the gateway alone does it too", story(like(chain.Cut(), in)), facts.NotReproduced, "other cells"},
		{"so do all other proxies", story(like(chain.Cures()[0].After, in), like(chain.Cures()[1].After, in)),
			facts.NotReproduced, "other cells"},
		{"one other proxy does it", story(like(chain.Cures()[1].After, in)), facts.Reproduced, ""},
		{"other proxies not measured", story(drop(chain.Cures()[0].After), drop(chain.Cures()[1].After)), facts.Reproduced, ""},
		{"not counted", story(edit(chain.Cut(), func(t *facts.Trial) { t.Backend = facts.BackendDelta{} })),
			facts.Inconclusive, "warnings of these trials"},
	})
}

func TestRetry(t *testing.T) {
	onlyFails := edit(chain.Incident(), noDamage)
	onlyTwice := edit(chain.NoRetry(), noDamage)
	judgeEach(t, "story-retry", []fact{
		{"both", story(), facts.Reproduced, "186 requests executed again"},
		{"one trial", story(first(1)), facts.Reproduced, "stream was reset: CANCEL"},
		{"only failures", story(onlyFails), facts.Inconclusive, "only the failures"},
		{"only repeated", story(onlyTwice), facts.Inconclusive, "only the repeated"},
		{"neither", story(onlyFails, onlyTwice), facts.NotReproduced, "lower LIMIT"},
		{"ids not counted", story(edit(chain.Incident(), func(t *facts.Trial) { t.Backend.Duplicates = nil })),
			facts.Inconclusive, "ledger"},
	})
}

func TestCures(t *testing.T) {
	cures := chain.Cures()
	for _, c := range cures {
		want := facts.Fixed
		if c.Name == "newer-okhttp" { // the invented OkHttp 4 still dials 120 connections for 5
			want = facts.Reproduced
		}
		judgeEach(t, "story-cure-"+c.Name, []fact{
			{c.Name, story(), want, ""},
			{c.Name + ", not measured", story(drop(c.After)), facts.Inconclusive, "was not measured"},
			{c.Name + ", damage stays", story(like(c.After, c.Before), edit(c.After, func(t *facts.Trial) {
				t.Failed, t.Succeeded = 100, t.Attempts-100
			})), facts.Reproduced, ""},
			{c.Name + ", nothing to cure", story(edit(c.Before, noDamage)), facts.NotReproduced, "nothing to cure"},
		})
	}
	limit := cures[0]
	judgeEach(t, "story-cure-"+limit.Name, []fact{
		{"users don't notice", story(like(limit.After, limit.Before), edit(limit.After, noDamage)), facts.Inconclusive,
			"don't improve beyond noise"},
		{"an incident without cost", story(asFast(story())), facts.Fixed, "only the counts are compared"},
		{"three trials", story(first(3)), facts.Fixed, "only the counts are compared"},
		{"not counted", story(edit(limit.After, func(t *facts.Trial) { t.Connections = facts.Connections{} })),
			facts.Inconclusive, "warnings of these trials"},
		{"one renewal of 100,000", story(edit(limit.After, func(t *facts.Trial) {
			one, two := int64(1), int64(2)
			t.Connections.Accepted, t.Connections.Used, t.Backend.Duplicates = &two, &one, &one
		})), facts.Fixed, ""},
	})
}

func TestHeadline(t *testing.T) {
	for _, c := range []struct {
		name string
		run  *facts.Result
		want string
	}{
		{"a story", story(), "100 users got 817 requests/s with a p99 of 416 ms through nginx-1000-envoy, and with " +
			"keepalive_requests 100000 1,292 requests/s (1.58 [1.55, 1.61]) with a p99 of 139 ms (0.33 [0.33, 0.34]); " +
			"186 requests were executed again and 0.2\u00a0% failed; 9.1\u00a0% failed without the client's retry."},
		{"one trial", story(first(1), func(r *facts.Result) { r.Run.Quick = true }), "The incident is inconclusive in " +
			"this run; 100 users got 821 requests/s with a p99 of 414 ms through nginx-1000-envoy, and with " +
			"keepalive_requests 100000 1,280 requests/s (1.56 ~) with a p99 of 140 ms (0.34 ~); 31 requests were executed again " +
			"and 0.2\u00a0% failed; 9.1\u00a0% failed without the client's retry (quick run, no statistics)."},
		{"without cures", story(drop(chain.Cures()[0].After), drop(chain.NoRetry())), "100 users got 817 requests/s " +
			"with a p99 of 416 ms through nginx-1000-envoy; 186 requests were executed again and 0.2\u00a0% failed."},
		{"empty", &facts.Result{}, "The incident is inconclusive in this run."},
	} {
		got := texts.English.In(Headline(c.run, Judge(c.run).Verdicts))
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
