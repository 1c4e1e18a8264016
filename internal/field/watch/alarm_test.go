package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/texts"
	"h2lab/internal/field/cure"
)

var noon = time.Date(2026, 9, 22, 12, 0, 0, 0, time.UTC)

// feed passes one difference per second to the alarm and returns the seconds in which the alarm
// changed.
func feed(a *alarm, seconds int, fresh, requests int64) (changed []int) {
	for i := range seconds {
		at := noon
		if n := len(a.window); n > 0 {
			at = a.window[n-1].at.Add(time.Second)
		}
		if c, _ := a.add(difference{at: at, took: time.Second, new: fresh, requests: requests}); c {
			changed = append(changed, i)
		}
	}
	return changed
}

// Measured with nginx's limit of 1000, as requests and connections per second: with the limit the
// rule must separate the stampedes from the rest; without it, at least those of 50 requests in
// flight and more.
func TestTheRuleTellsWhatWasMeasured(t *testing.T) {
	for _, c := range []struct {
		name            string
		requests, fresh int64 // of the whole run
		limited, any    bool
	}{
		{"Go, 10 in flight", 20_000, 189, true, false},
		{"Go, 50 in flight", 20_000, 963, true, true},
		{"Go, 200 in flight", 20_000, 1682, true, true},
		{"one VU, 100 loops", 66_100, 5251, true, true},
		{"one VU over HTTP/1.1", 98_459, 449, false, false},
		{"100 VUs", 97_722, 106, false, false},
		{"MaxConnsPerHost 2", 20_000, 40, false, false},
		{"a limit of 100,000", 107_168, 199, false, false},
	} {
		for limit, want := range map[int64]bool{1000: c.limited, 0: c.any} {
			a := &alarm{rule: Rule{Limit: limit, MinNew: 5}.Complete()}
			feed(a, 60, c.fresh*10/60+1, c.requests*10/60) // ten runs within a minute
			if a.raised != want {
				t.Errorf("%s, limit %d: alarm %v", c.name, limit, a.raised)
			}
		}
	}
}

func TestAnAlarmRisesAndFalls(t *testing.T) {
	a := &alarm{rule: Rule{MinRatio: 100, MinNew: 20, Window: 10 * time.Second}.Complete()}
	if c := feed(a, 5, 50, 500); len(c) != 0 {
		t.Errorf("half a window isn't there yet: %v", c)
	}
	if c := feed(a, 1, 50, 500); len(c) != 1 || !a.raised {
		t.Errorf("two bad windows in a row: %v", c)
	}
	// 120 requests each are above 100 and below 150: the alarm stays.
	if c := feed(a, 30, 50, 6000); len(c) != 0 {
		t.Errorf("no hysteresis: %v", c)
	}
	if c := feed(a, 30, 50, 10_000); len(c) != 1 || a.raised {
		t.Errorf("it doesn't end: %v", c)
	}
	if c := feed(a, 30, 1, 10); len(c) != 0 {
		t.Errorf("10 new connections in a window don't matter: %v", c)
	}
	feed(a, 30, 50, 500)
	if c := feed(a, 30, 0, 0); len(c) != 1 || a.raised {
		t.Errorf("silence ends it: %v", c)
	}
}

func TestTheEvidenceSaysWhatTheLimitNeeds(t *testing.T) {
	a := &alarm{rule: Rule{Limit: 1000, Window: 10 * time.Second}.Complete()}
	feed(a, 10, 50, 950)
	if got, want := a.evidence().String(),
		"500 new connections for 9,500 requests in 10 s, 19.0 requests each; the limit alone requires 10"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// envoyPage is Envoy's /stats after so many connections and ends.
func envoyPage(connections, requests, atLimit, atAge, idle int) string {
	return fmt.Sprintf("http.in.downstream_cx_total: %d\nhttp.in.downstream_rq_total: %d\n"+
		"http.in.downstream_cx_max_requests_reached: %d\nhttp.in.downstream_cx_max_duration_reached: %d\n"+
		"http.in.downstream_cx_idle_timeout: %d\n", connections, requests, atLimit, atAge, idle)
}

// A change follows from what the counters prove, with the number that every verb offers.
func TestTheCauseIsWhatTheCountersProve(t *testing.T) {
	limit := fmt.Sprintf("max_requests_per_connection: %d", cure.Requests(1000))
	for name, c := range map[string]struct {
		page                func(n int) string
		cause, says, change string
	}{
		"Envoy at its limit": {func(n int) string { return envoyPage(100*n, 1000*n, 3*n, 0, 0) }, ByLimit,
			"Connections end at a request limit", limit},
		"Envoy at its age": {func(n int) string { return envoyPage(100*n, 1000*n, 0, 99*n, 0) }, ByAge,
			"A higher request limit changes nothing", "max_connection_duration: 3600s"},
		"Envoy at both": {func(n int) string { return envoyPage(100*n, 1000*n, 3*n, 9*n, 0) }, ByBoth,
			"at a request limit", limit},
		"Envoy's idle ones": {func(n int) string { return envoyPage(100*n, 1000*n, 0, 0, 90*n) }, ByIdle,
			"after a silence", "idle_timeout: 3600s"},
		"Envoy's clients": {func(n int) string { return envoyPage(100*n, 1000*n, 0, 0, 9*n) }, NotServer,
			"its clients do, or something before it", ""},
		"nginx": {func(n int) string { return page(100*n, 1000*n) }, Unknown, "The counters don't show why",
			fmt.Sprintf("keepalive_requests %d;", cure.Requests(1000))},
	} {
		s := server(t, func(n int) (int, string) { return 200, c.page(n) })
		rule := Rule{Limit: 1000, Window: time.Millisecond}
		_, summary, err := watched(t, s, Options{Rule: rule, Again: "h2lab watch URL"}, 8)
		if err != nil || summary.Cause != c.cause {
			t.Errorf("%s: %v, %q", name, err, summary.Cause)
			continue
		}
		text := printer{texts.English, rule}.line(Event{Kind: Over, Summary: summary})
		if !strings.Contains(text, c.says) || !strings.Contains(text, c.change) || (c.change == "") != (len(summary.Changes) == 0) {
			t.Errorf("%s:\n%s", name, text)
		}
		if c.cause != ByLimit && c.cause != ByBoth && c.cause != Unknown && strings.Contains(text, "per_connection: ") {
			t.Errorf("%s offers a limit:\n%s", name, text)
		}
	}
}

// Without a limit there is none to raise.
func TestAnUnknownCauseHasNoChange(t *testing.T) {
	s := server(t, func(n int) (int, string) { return 200, page(100*n, 1000*n) })
	_, summary, err := watched(t, s, Options{Rule: Rule{Window: time.Millisecond}}, 8)
	if err != nil || summary.Cause != Unknown || len(summary.Changes) != 0 || summary.AtLimit != nil {
		t.Errorf("%v, %+v", err, summary)
	}
}

// Below an alarm the counters still tell of a limit; where they can't, the next step is the threshold of nginx's
// default limit.
func TestNoAlarmLeadsOn(t *testing.T) {
	for name, c := range map[string]struct {
		page              func(n int) string
		rule              Rule
		cause, says, next string
	}{
		"Envoy's limit": {func(n int) string { return envoyPage(100*n, 3000*n, 3*n, 0, 0) }, Rule{}, ByLimit,
			"Connections end at a request limit", "/config_dump | h2lab lint --kind envoy -"},
		"Envoy's age": {func(n int) string { return envoyPage(100*n, 3000*n, 0, 3*n, 0) }, Rule{}, "",
			"No alarm: each new connection", "h2lab watch URL --for 10m0s   # for longer"},
		"nginx": {func(n int) string { return page(100*n, 3000*n) }, Rule{}, "",
			"it is 200, and this is an alarm", "h2lab watch URL --limit 1000 --for 10m0s   #"},
		"nginx, more than a fifth": {func(n int) string { return page(100*n, 30_000*n) }, Rule{}, "",
			"No alarm: each new connection", "h2lab watch URL --for 10m0s   #"},
		"nginx with a ratio": {func(n int) string { return page(100*n, 3000*n) }, Rule{MinRatio: 5}, "",
			"No alarm: each new connection", "h2lab watch URL --for 10m0s   #"},
	} {
		s := server(t, func(n int) (int, string) { return 200, c.page(n) })
		c.rule.Window = time.Millisecond
		_, summary, err := watched(t, s, Options{Rule: c.rule, Again: "h2lab watch URL"}, 8)
		if err != nil || summary.Alarms != 0 || summary.Cause != c.cause || !strings.Contains(summary.Next.String(), c.next) {
			t.Errorf("%s: %v, %d alarms, %q, next: %s", name, err, summary.Alarms, summary.Cause, summary.Next)
			continue
		}
		text := printer{texts.English, c.rule.Complete()}.line(Event{Kind: Over, Summary: summary})
		if !strings.Contains(text, c.says) || (c.cause == "") != (len(summary.Changes) == 0) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

func TestTheNextStepKeepsTheFlags(t *testing.T) {
	got := Command("https://a.test/x?y=1&z", Trust{CAFile: "my ca.pem", Insecure: true},
		Options{Rule: Rule{Limit: 5, MinRatio: 2.5, MinNew: 7, Window: 9 * time.Second}})
	const want = "h2lab watch 'https://a.test/x?y=1&z' --limit 5 --min-ratio 2.5 --min-new 7 --window 9s --ca 'my ca.pem' --insecure"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := Command("http://a/", Trust{}, Options{Rule: Rule{MinNew: UsualMinNew, Window: UsualWindow}}); got != "h2lab watch http://a/" {
		t.Error(got)
	}
}
