package accesslog

import (
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/field/cure"
)

func pointer[T any](v T) *T { return &v }

// of is a result with so many requests and connections, changed.
func of(requests, connections uint64, change func(*Result)) *Result {
	r := &Result{Requests: requests, Connections: connections, Server: cure.Nginx, Files: []string{"access.log"}}
	if change != nil {
		change(r)
	}
	return r
}

// ended is a limit at which connections ended, by whom.
func ended(by string, change func(*Limit)) func(*Result) {
	return func(r *Result) {
		r.Limit = &Limit{Requests: 37, UpTo: 37, EndedBy: by, EndedExactly: 50, ShareOfRequests: 1, UsedUpResolutionS: 1}
		if change != nil {
			change(r.Limit)
		}
	}
}

// everyVerdict has a result for each sentence of the verdicts.
func everyVerdict() []*Result {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	reload := Reload{At: at, Connections: 9}
	check := HealthCheck{Agent: "kube-probe/1.29", Request: "GET /healthz HTTP/1.1", Connections: 70, EveryS: 10}
	age := &Age{FromS: 59.5, ToS: 60.4, Connections: 90, Of: 100, Fewest: 400, Most: 1900}
	return []*Result{
		limited(20, &Opened{EmptyAtLeast: 943, EmptyAtMost: 943, AtMost: 963}, 3),
		limited(20, &Opened{EmptyAtMost: 943}, 36), limited(20, &Opened{EmptyAtLeast: 1, EmptyAtMost: 1}, 36),
		limited(20, &Opened{Steady: true, EmptyAtMost: 943}, 36), limited(1, nil, .0005), limited(20, nil, 7200),
		of(90_000, 100, ended(byServer, func(l *Limit) { l.ShareOfRequests, l.UpTo, l.RenewalsPerMinute = .05, 40, pointer(2.5) })),
		of(90_000, 100, ended(byClients, nil)), of(90_000, 100, ended(byUnknown, nil)),
		of(90_000, 100, ended(byUnknown, func(l *Limit) { l.Beyond = 3 })),
		of(90_000, 100, func(r *Result) { ended(byUnknown, nil)(r); r.Server = cure.Apache }),
		of(500, 500, nil), of(500, 100, func(r *Result) { r.lacks = (&reading{count: &counter{}}).lacks() }),
		of(500, 5, nil), of(500, 5, func(r *Result) { r.BeganBefore = pointer(uint64(0)) }),
		of(500, 5, func(r *Result) {
			r.BeganBefore, r.Opened = pointer(uint64(0)), &Opened{AtMost: 10, EmptyAtMost: 8, UpstreamAttempts: pointer(uint64(8))}
		}),
		of(5, 5, nil), of(1, 1, nil), of(5000, 100, func(r *Result) { r.MixedServers = true }),
		of(90_000, 100, func(r *Result) { r.Age = age }), of(90_000, 100, func(r *Result) {
			ended(byServer, nil)(r)
			r.Age, r.Opened = age, &Opened{EmptyAtLeast: 943, EmptyAtMost: 943}
		}),
		of(90_000, 100, func(r *Result) {
			r.Age = &Age{FromS: 60, ToS: 60, Connections: 90, Of: 100, Fewest: 600, Most: 600, Same: true}
		}),
		of(90_000, 100, func(r *Result) { r.Age = &Age{FromS: 3600, ToS: 3700, Connections: 1, Of: 100, Fewest: 6, Most: 6} }),
		of(90_000, 100, func(r *Result) { r.Reloads = []Reload{reload, reload, reload, reload, reload} }),
		of(90_000, 100, func(r *Result) { r.Reloads, r.Server = []Reload{reload}, cure.IngressNginx }),
		of(5000, 100, func(r *Result) {
			r.Idle = &Idle{LongestReusedS: 9.9, ShortestRenewedS: 10.1, Connections: 95, Of: 96}
		}),
		of(120, 100, func(r *Result) { r.checked, r.HealthChecks = 70, []HealthCheck{check} }),
		of(90_000, 100, func(r *Result) { r.checked, r.HealthChecks = 70, []HealthCheck{check, check, check} }),
		of(90_000, 100, func(r *Result) { r.checked, r.HealthChecks = 70, []HealthCheck{check, check} }),
		of(90_000, 100, func(r *Result) { r.Opened = &Opened{AtMost: 900, EmptyAtLeast: 800, EmptyAtMost: 800} }),
		of(90_000, 100, func(r *Result) { r.Opened = &Opened{AtMost: 900, EmptyAtMost: 800, EmptyShare: .89} }),
	}
}

// The sentences of all verdicts are in a file, since tests of their translations read it.
func TestTheSentencesOfAllVerdicts(t *testing.T) {
	seen := map[string]bool{}
	var said []string
	for _, r := range everyVerdict() {
		v := judge(r)
		seen[v.ID] = true
		said = append(said, slices.Concat(v.Says, v.WouldTell)...)
		for _, s := range v.Next {
			if _, remark, ok := strings.Cut(s, "   # "); ok {
				said = append(said, remark)
			}
		}
	}
	for _, id := range []string{Stampede, AtLimit, PerhapsIt, SlowLimit, Churn, OneEach, Calm, TooLittle, SameCount, ClientsStop,
		Aged, CountOrAge, Reloaded, Idled, Empties, MaybeEmpty, Mixed, HealthChecks} {
		if !seen[id] {
			t.Errorf("no result has the verdict %s", id)
		}
	}
	slices.Sort(said)
	golden(t, "said.txt", []byte(strings.Join(slices.Compact(said), "\n")+"\n"))
}

// A sentence about an Envoy's log names no variable of nginx.
func TestEnvoysLogHasNoVariablesOfNginx(t *testing.T) {
	if got := upstreamsKnown(cure.Envoy); strings.Contains(got, "nginx") || strings.Contains(got, "$") {
		t.Error(got)
	}
	if got := upstreamsKnown(cure.Nginx); !strings.Contains(got, "$upstream_addr") {
		t.Error(got)
	}
}
