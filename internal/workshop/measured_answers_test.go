package workshop

import (
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func TestExercise7TakesEveryRightAnswerAndNoWrongOne(t *testing.T) {
	traces := []oneTrace{{2, 1<<31 - 1, 0}, {1, 193, 6}}
	values := []string{"2", "2147483647", "0", "1", "193", "6"}
	states := []State{stagesCount, stagesFirst, stagesDropped, stagesCount, stagesFirst, stagesDropped}
	with := func(at int, v string) answers {
		a := answers{}
		for i, key := range stageKeys() {
			if a[key] = values[i]; i == at {
				a[key] = v
			}
		}
		return a
	}
	right := [][]string{{"two", "2 stages", "2 GOAWAYs", "exactly 2", "twice"}, {"2^31-1", "2^31−1", "2 147 483 647", "0x7fffffff"},
		{"none", "zero", "0 streams", "no streams", "nothing"}, {"one", "1 GOAWAY", "a single", "once"},
		{"stream 193", "193."}, {"six", "6 streams", "1 or more", "at least 1", "6 of the streams", "more than 0", "all 6"}}
	wrong := [][]string{{"1", "three", "2 or more", "many", "at least 1"}, {"193", "2^31", "2147483648", "2^32-1", "big"},
		{"1", "1 or more", "0 or more", "6", "all", "at least 0"}, {"2", "two", "0", "1 or more", "none"},
		{"97", "195", "191", "2147483647", "above 193"}, {"0", "none", "3", "5", "7 or more", "at most 6", "all", "0 or more"}}
	rights, wrongs := 0, 0
	for at := range states {
		for _, v := range right[at] {
			rights++
			finds(t, envoy(), stageKeys()[at]+" "+v, judgeStages(with(at, lower(t, v)), traces), Done)
		}
		for _, v := range wrong[at] {
			wrongs++
			finds(t, envoy(), stageKeys()[at]+" "+v, judgeStages(with(at, lower(t, v)), traces), states[at])
		}
	}
	if rights < 10 || wrongs < 20 {
		t.Errorf("%d right and %d wrong answers", rights, wrongs)
	}
}

func TestExercise9TakesEveryRightAnswerAndNoWrongOne(t *testing.T) {
	kept, measured := [2]float64{5.7, 6.2}, [2]float64{5.5, 6}
	judge := func(s string) State {
		r, ok := parseFactor(s)
		if !ok {
			return tlsWords
		}
		f := judgeHandshakes([2]factorRange{r, {6.2, 6.2}}, kept, measured)
		finds(t, handshakes(), s, f, f.State)
		return f.State
	}
	for _, s := range []string{"5.7", "5,7", "5.7x", "x5.7", "×5.7", "5.7 times", "about 6", "~5.5", "5.7 times cheaper", "5.7:1", "5.7 to 1",
		"a factor of 5.7", "5.5-6", "5.5 to 6", "between 5.5 and 6", "5.7-fold", "6"} {
		if got := judge(s); got != Done {
			t.Errorf("%q is right, and the check finds %s", s, got)
		}
	}
	for _, s := range []string{"50", "0.175", "1", "3", "4", "8", "11", "2.4", "0", "-5.7", "5.7%", "many", "", "1e9", "1-10", "5 to 50", "NaN",
		"Inf", "four", "5.7ms", "570", "1:5.7", "cheaper", "3-4"} {
		if got := judge(s); got == Done {
			t.Errorf("%q is wrong, and the check takes it", s)
		}
	}
	for _, c := range []struct {
		said, kept [2]float64
		want       State
	}{
		{[2]float64{5.7, 6.2}, kept, Done},
		{[2]float64{5.7, 60}, kept, tlsResumed},
		{[2]float64{50, 6.2}, kept, tlsECDSA},
		{[2]float64{0.175, 6.2}, kept, tlsUpside},
		{[2]float64{2.44, 6.2}, kept, tlsNotClean},
		{[2]float64{4, 6.2}, kept, tlsNotOwn},                  // a guess that a factor of two forgave
		{[2]float64{20, 6.2}, [2]float64{20, 6.2}, tlsNotHere}, // the files of another machine
	} {
		said := [2]factorRange{{c.said[0], c.said[0]}, {c.said[1], c.said[1]}}
		finds(t, handshakes(), fmt.Sprint(c.said), judgeHandshakes(said, c.kept, measured), c.want)
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
		{"neither file", "", "", tlsNoFile},
		{"one file", doc("rsa", good), "", tlsNoFile},
		{"not JSON", doc("rsa", good), "5.7", tlsNoFile},
		{"the same key twice", doc("rsa", good), doc("rsa", good), tlsNoFile},
		{"not measured", doc("rsa", "null"), doc("ecdsa", good), tlsNoFile},
		{"zero", doc("rsa", good), doc("ecdsa", `{"full_ms": 0}`), tlsNoFile},
		{"typed by hand", doc("rsa", good), doc("ecdsa", `{"full_ms": 0.2, "resumed_ms": 0.2}`), tlsNoFile},
		{"an edited median", doc("rsa", strings.Replace(good, "1.2", "5.7", 1)), doc("ecdsa", good), tlsNoFile},
		{"no resumed handshakes", doc("rsa", good), doc("ecdsa", strings.Replace(good, "464", "0", 1)), tlsNoFile},
		{"TLS 1.2", doc("rsa", good), strings.Replace(doc("ecdsa", good), `"1.3"`, `"1.2"`, 1), tlsNoFile},
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
		finds(t, handshakes(), c.what, f, c.want)
	}
}

func TestExercise10TakesEveryRightAnswerAndNoWrongOne(t *testing.T) {
	n := 437
	nginx, two := facts.Limit{Effective: &n, Closing: oneStage}, facts.Limit{Effective: &n, Closing: twoStages}
	right := []struct {
		limit, family, change string
		wire                  facts.Limit
	}{
		{"437", "nginx", "keepalive_requests 100000;", nginx},
		{"437 requests", "nginx, or something built on it (OpenResty, ingress-nginx, Kong, Angie, …)", "keepalive_requests", nginx},
		{"exactly 437", "it is nginx", "raise keepalive_requests", nginx},
		{"437", "not envoy, nginx", "the directive keepalive_requests in http{}", nginx},
		{"437", "openresty", "keepalive-requests", nginx},
		{"437.", "nginx 1.22", "keepalive requests", nginx},
		{"437", "envoy (istio, …)", "max_requests_per_connection", two},
		{"at least 437", "Envoy", "max_requests_per_connection: 100000", two},
		{"437 or more", "istio", "common_http_protocol_options.max_requests_per_connection", two},
		{"437+", "envoy, not nginx", "max requests per connection", two},
		{"437", "behaves like envoy", "unset max_requests_per_connection", two},
	}
	for _, c := range right {
		a := answers{"limit": lower(t, c.limit), "family": lower(t, c.family), "change": lower(t, c.change)}
		finds(t, unknown(), fmt.Sprint(c.limit, c.family, c.change), judgeUnknown(a, c.wire), Done)
	}
	type wrong struct {
		key, value string
		want       State
	}
	var wrongs []wrong
	for _, v := range []string{"436", "438", "873", "many", "437 or more", "at most 437", "about", "1000", "437-440", "more than 437", "-437",
		"0", "4.37"} {
		wrongs = append(wrongs, wrong{"limit", v, mysteryLimit})
	}
	for _, v := range []string{"envoy", "nginx or envoy", "envoy or nginx", "not nginx", "go", "apache", "?", "either", "it isn't nginx", "haproxy"} {
		wrongs = append(wrongs, wrong{"family", v, mysteryFamily})
	}
	for _, v := range []string{"max_requests_per_connection", "keepalive_requests or max_requests_per_connection", "limit", "the limit",
		"keepalive_timeout", "http2_max_requests", "keepalive", "not keepalive_requests", "max_connections"} {
		wrongs = append(wrongs, wrong{"change", v, mysteryChange})
	}
	for _, c := range wrongs {
		a := answers{"limit": "437", "family": "nginx", "change": "keepalive_requests"}
		a[c.key] = c.value
		finds(t, unknown(), c.key+" "+c.value, judgeUnknown(a, nginx), c.want)
	}
	a := answers{"limit": "437", "family": "go", "change": "x"}
	neither := facts.Limit{Effective: &n, Closing: "connection-close"}
	finds(t, unknown(), "an ending that is neither", judgeUnknown(a, neither), mysteryFamily)
	if len(right) < 10 || len(wrongs) < 20 {
		t.Errorf("%d right and %d wrong answers", len(right), len(wrongs))
	}
}
