package merge

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/shell"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
)

// Command is run.command of a merged run, Runtime its run.runtime.
const (
	Command = "merge"
	Runtime = "machines"
)

// Order says what to merge.
type Order struct {
	// Paths are logs of runners, or directories of them.
	Paths []string
	// Partial merges the runners that are there.
	Partial bool
}

func (o Order) quoted() string {
	words := make([]string, len(o.Paths))
	for i, p := range o.Paths {
		words[i] = shell.Word(p)
	}
	return strings.Join(words, " ")
}

// knobs are the scripts' own, as k6/lib/knobs.js reads them.
type knobs struct {
	Target      string `json:"target"`
	Topology    string `json:"topology"`
	Protocol    string `json:"protocol"`
	Limit       int    `json:"limit"`
	Method      string `json:"method"`
	BodyBytes   int    `json:"bodyBytes"`
	Concurrency int    `json:"concurrency"`
	Pools       int    `json:"pools"`
	// Rate is how many requests a second all runners together were to send; 0 is a closed loop.
	Rate       float64 `json:"rate"`
	Arrivals   string  `json:"arrivals"`
	Burst      int     `json:"burst"`
	DurationMS float64 `json:"durationMS"`
	WarmupMS   float64 `json:"warmupMS"`
	ThinkMS    int     `json:"thinkMS"`
	DelayMS    int     `json:"delayMS"`
	MaxTLS     string  `json:"maxTLS"`
}

// Merge makes one result from the runners' logs. The run of the result has the warnings.
func Merge(o Order) (*facts.Result, error) {
	all, err := read(o.Paths)
	if err != nil {
		return nil, err
	}
	if len(all.lines) == 0 {
		return nil, fmt.Errorf("every line of the runners is cut, such as %s: collect the logs again", all.cut[0])
	}
	runners, err := group(all.lines)
	if err != nil {
		return nil, err
	}
	script := all.lines[0].Script
	k, err := readKnobs(all.lines[0])
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(runners, func(r *runner) bool { return len(r.vus) > 0 }) {
		return nil, fmt.Errorf("no runner has the tally of a VU: the test ended before its window did, or its logs lack "+
			"what the VUs logged; the reason is in %s", runners[0].files())
	}
	missing := gaps(runners, all.cut, k.Pools)
	if len(missing) > 0 && !o.Partial {
		return nil, fmt.Errorf("the runners' logs are incomplete: %s; collect them again, or merge what is there: "+
			"h2lab merge --partial %s", strings.Join(missing, "; "), o.quoted())
	}
	t, err := trial(runners, k, script)
	if err != nil {
		return nil, err
	}
	return result(runners, k, script, t, missing), nil
}

var (
	scriptName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,60}$`)
	unsafe     = regexp.MustCompile(`[^a-z0-9.-]+`)
)

func readKnobs(l line) (k knobs, err error) {
	err = json.Unmarshal(l.Knobs, &k)
	known := (k.Protocol == string(facts.H1) || k.Protocol == string(facts.H2)) && k.Concurrency > 0 && k.Pools > 0 &&
		k.DurationMS > 0 && scriptName.MatchString(l.Script)
	if err != nil || !known {
		return k, fmt.Errorf("%s lacks knobs of the scripts in k6/, such as protocol, concurrency, pools and "+
			"durationMS: use the scripts and the h2lab of one version", l.where)
	}
	for _, n := range []struct {
		name     string
		is, most float64 // as k6/lib/knobs.js accepts it
	}{{"concurrency", float64(k.Concurrency), 10_000}, {"pools", float64(k.Pools), 10_000}, {"rate", k.Rate, 1e6},
		{"burst", float64(k.Burst), 10_000}, {"durationMS", k.DurationMS, 3_600_000}, {"warmupMS", k.WarmupMS, 3_600_000},
		{"thinkMS", float64(k.ThinkMS), 60_000}, {"delayMS", float64(k.DelayMS), 10_000}, {"limit", float64(k.Limit), 1e9},
		{"bodyBytes", float64(k.BodyBytes), 1 << 20}} {
		if !(n.is >= 0 && n.is <= n.most) {
			return k, fmt.Errorf("%s has %s = %v, and the scripts in k6/ accept 0 to %v: collect the logs again", l.where,
				n.name, n.is, n.most)
		}
	}
	return k, nil
}

// trial adds the runners up.
func trial(runners []*runner, k knobs, script string) (facts.Trial, error) {
	var tallies []load.Logged
	var dropped int64
	for _, r := range runners {
		tallies = append(tallies, r.tallies()...)
		if r.end != nil {
			dropped += r.end.Dropped
		}
	}
	a, err := load.FromLogs(tallies, facts.Protocol(k.Protocol))
	if err != nil {
		return facts.Trial{}, err
	}
	started := runners[0].span().began
	for _, r := range runners {
		if s := r.span(); s.any {
			started = min(started, s.began)
		}
	}
	warnings := apart(runners, k)
	if a.Schedule != nil {
		warnings = append(warnings, behind(runners, k)...)
	}
	if dropped > 0 {
		warnings = append(warnings, fmt.Sprintf("%s of the open loop found every VU busy and were not sent, warm-up "+
			"included: the latencies are only those of the requests that were sent",
			numfmt.Things(dropped*int64(max(k.Burst, 1)), "request")))
	}
	warm, both := expected(k, script, a, a.WarmupRequests), expected(k, script, a, a.WarmupRequests+a.Attempts)
	inWindow := both - warm
	return facts.Trial{Index: 1, Order: 1, Started: when(started), ElapsedS: a.ElapsedS, Attempts: a.Attempts,
		Succeeded: a.Succeeded, Failed: a.Failed, Errors: a.Errors, GoodputRPS: float64(a.Succeeded) / a.ElapsedS,
		LatencyMS: a.Latency, Histogram: a.Histogram, Schedule: a.Schedule, TLS: a.TLS, Warnings: warnings,
		Connections: facts.Connections{Expected: &inWindow, ClientReported: a.ClientReported},
		ColdStart:   facts.ColdStart{Requests: &a.WarmupRequests, Expected: &warm}}, nil
}

// expected is how many connections the runners needed for their requests. At a rate they need connections for the
// requests that are usually in flight, not for the maximum that is allowed.
func expected(k knobs, script string, a load.Answer, requests int64) int64 {
	w := workload(k)
	if a.Schedule != nil {
		w.Concurrency = a.Schedule.UsuallyInFlight(w.RatePerS)
	}
	return facts.Expected(facts.Protocol(k.Protocol), client(script), w, k.Limit, requests)
}

func client(script string) facts.Client { return facts.Client("k6-" + script) }

func workload(k knobs) facts.Workload {
	w := facts.Workload{Method: k.Method, BodyBytes: k.BodyBytes, DelayMS: k.DelayMS, Concurrency: k.Concurrency,
		Pools: k.Pools, WarmupS: k.WarmupMS / 1000, DurationS: k.DurationMS / 1000, MaxTLS: k.MaxTLS, ThinkMS: k.ThinkMS,
		RatePerS: k.Rate}
	if w.RatePerS > 0 {
		w.Arrivals = facts.Arrivals(k.Arrivals)
	}
	return w
}

// result is the whole results.json. The runners' logs have no counters of servers, so those stay null.
func result(runners []*runner, k knobs, script string, t facts.Trial, missing []string) *facts.Result {
	cell := facts.Cell{Topology: topology(k.Topology), Protocol: facts.Protocol(k.Protocol), Client: client(script),
		Workload: workload(k), Trials: []facts.Trial{t}}
	if k.Limit > 0 {
		cell.Limit.Configured = &k.Limit
	}
	finished := t.Started
	for _, r := range runners {
		if s := r.span(); s.any && when(s.ended).After(finished) {
			finished = when(s.ended)
		}
	}
	warnings := []string{fmt.Sprintf("%d of %s, %s; accepted and used connections are unknown: read them at the server "+
		"(docs/many-machines.md)", len(runners), numfmt.Things(runners[0].of, "runner"), k.Target)}
	return &facts.Result{Run: facts.Run{
		ID: t.Started.Format("20060102T150405Z") + "-" + Command, Command: Command, Runtime: Runtime, Started: t.Started,
		Finished: finished, Interrupted: len(missing) > 0, Trials: 1, Limit: k.Limit, WarmupS: k.WarmupMS / 1000,
		DurationS: k.DurationMS / 1000, Concurrency: k.Concurrency, Planned: []string{cell.ID()},
		Warnings: append(warnings, missing...)}, Cells: []facts.Cell{cell}}
}

// topology is the knob in the letters of a cell's name.
func topology(s string) string {
	s = strings.Trim(unsafe.ReplaceAllString(strings.ToLower(s), "-"), "-.")
	if s == "" {
		return "target"
	}
	return s[:min(len(s), 60)]
}
