package storyverdicts

import (
	"testing"

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
	judgeEach(t, "story-incident", map[string]*facts.Result{
		"as it was met":                        story(),
		"with four trials":                     story(first(4)),
		"three trials can't show a difference": story(first(3)),
		"one trial":                            story(first(1)),
		"the counts alone":                     story(asFast(story())),
		"slow without any damage":              story(edit(at, noDamage), edit(at, slower)),
		"like the gateway alone":               story(like(at, chain.Cut())),
		"no gateway alone":                     story(drop(chain.Cut())),
		"nothing answered": story(edit(chain.Cut(), func(t *facts.Trial) {
			t.GoodputRPS, t.LatencyMS = 0, facts.Latency{}
		})),
		"unsupported": story(func(r *facts.Result) {
			c := r.Cell(chain.Gateway, facts.H2, OkHttp3)
			c.Trials, c.Unsupported = nil, facts.T("verdict.recorded", "Envoy is not installed")
		}),
	})
}

func TestPool(t *testing.T) {
	judgeEach(t, "story-pool", map[string]*facts.Result{
		"changes nothing":          story(),
		"three trials":             story(first(3)),
		"a pool that helps":        story(like(chain.Pool(), chain.Cut())),
		"only the goodput differs": story(edit(chain.Pool(), func(t *facts.Trial) { t.GoodputRPS *= 1.5 })),
		"no damage, and no better": story(edit(chain.Pool(), noDamage)),
		"not measured":             story(drop(chain.Pool())),
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
	judgeEach(t, "story-api", map[string]*facts.Result{
		"it isn't us":             story(),
		"it is":                   story(slowAPI),
		"its times were not read": story(unread),
		"no rise":                 story(asFast(story())),
		"three trials":            story(first(3)),
	})
	judgeEach(t, "story-row", map[string]*facts.Result{
		"it isn't the database":   story(),
		"it is":                   story(slowRow),
		"its times were not read": story(unread),
	})
}

func TestProxy(t *testing.T) {
	in := chain.Incident()
	judgeEach(t, "story-proxy", map[string]*facts.Result{
		"the proxy is the place":        story(),
		"one trial":                     story(first(1)),
		"no damage":                     story(like(in, chain.Cut())),
		"the gateway alone does it too": story(like(chain.Cut(), in)),
		"so do all other proxies":       story(like(chain.Cures()[0].After, in), like(chain.Cures()[1].After, in)),
		"one other proxy does it":       story(like(chain.Cures()[1].After, in)),
		"other proxies not measured":    story(drop(chain.Cures()[0].After), drop(chain.Cures()[1].After)),
		"not counted":                   story(edit(chain.Cut(), func(t *facts.Trial) { t.Backend = facts.BackendDelta{} })),
	})
}

func TestRetry(t *testing.T) {
	onlyFails := edit(chain.Incident(), noDamage)
	onlyTwice := edit(chain.NoRetry(), noDamage)
	judgeEach(t, "story-retry", map[string]*facts.Result{
		"both":            story(),
		"one trial":       story(first(1)),
		"only failures":   story(onlyFails),
		"only repeated":   story(onlyTwice),
		"neither":         story(onlyFails, onlyTwice),
		"ids not counted": story(edit(chain.Incident(), func(t *facts.Trial) { t.Backend.Duplicates = nil })),
	})
}

func TestCures(t *testing.T) {
	for _, c := range chain.Cures() { // the invented OkHttp 4 still dials 120 connections for 5
		judgeEach(t, "story-cure-"+c.Name, map[string]*facts.Result{
			"all":          story(),
			"not measured": story(drop(c.After)),
			"damage stays": story(like(c.After, c.Before), edit(c.After, func(t *facts.Trial) {
				t.Failed, t.Succeeded = 100, t.Attempts-100
			})),
			"nothing to cure": story(edit(c.Before, noDamage)),
		})
	}
}

func TestCuresInDoubt(t *testing.T) {
	limit := chain.Cures()[0]
	judgeEach(t, "story-cure-"+limit.Name, map[string]*facts.Result{
		"users don't notice":       story(like(limit.After, limit.Before), edit(limit.After, noDamage)),
		"an incident without cost": story(asFast(story())),
		"three trials":             story(first(3)),
		"not counted":              story(edit(limit.After, func(t *facts.Trial) { t.Connections = facts.Connections{} })),
		"one renewal of 100,000": story(edit(limit.After, func(t *facts.Trial) {
			one, two := int64(1), int64(2)
			t.Connections.Accepted, t.Connections.Used, t.Backend.Duplicates = &two, &one, &one
		})),
	})
}
