package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"h2lab/internal/field/cure"
)

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
		text := printer{nil, rule}.line(Event{Kind: Over, Summary: summary})
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
			"No alarm: each new connection", "h2lab watch URL --for 10m   # for longer"},
		"nginx": {func(n int) string { return page(100*n, 3000*n) }, Rule{}, "",
			"it is 200, and this is an alarm", "h2lab watch URL --limit 1000   #"},
		"nginx, more than a fifth": {func(n int) string { return page(100*n, 30_000*n) }, Rule{}, "",
			"No alarm: each new connection", "h2lab watch URL --for 10m   #"},
		"nginx with a ratio": {func(n int) string { return page(100*n, 3000*n) }, Rule{MinRatio: 5}, "",
			"No alarm: each new connection", "h2lab watch URL --for 10m   #"},
	} {
		s := server(t, func(n int) (int, string) { return 200, c.page(n) })
		c.rule.Window = time.Millisecond
		_, summary, err := watched(t, s, Options{Rule: c.rule, Again: "h2lab watch URL"}, 8)
		if err != nil || summary.Alarms != 0 || summary.Cause != c.cause || !strings.Contains(summary.Next, c.next) {
			t.Errorf("%s: %v, %d alarms, %q, next: %s", name, err, summary.Alarms, summary.Cause, summary.Next)
			continue
		}
		text := printer{nil, c.rule.Complete()}.line(Event{Kind: Over, Summary: summary})
		if !strings.Contains(text, c.says) || (c.cause == "") != (len(summary.Changes) == 0) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

func TestADurationIsShort(t *testing.T) {
	for d, want := range map[time.Duration]string{10 * time.Minute: "10m", time.Hour: "1h", 90 * time.Second: "1m30s",
		30 * time.Second: "30s", 61 * time.Minute: "1h1m"} {
		if got := plain(d); got != want {
			t.Errorf("%v: %s", d, got)
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
