package watch

import (
	"testing"
	"time"
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

func TestTheUsualRule(t *testing.T) {
	if r := (Rule{Limit: 1000}).Complete(); r.MinRatio != 200 || r.MinNew != UsualMinNew || r.Window != UsualWindow {
		t.Errorf("%+v", r)
	}
	if r := (Rule{}).Complete(); r.MinRatio != UsualRatio {
		t.Errorf("%+v", r)
	}
	if r := (Rule{Limit: 1000, MinRatio: 5}).Complete(); r.MinRatio != 5 {
		t.Errorf("%+v", r)
	}
}
