package watch

import (
	"fmt"
	"math"
	"time"

	"h2lab/internal/base/text"
)

// Rule defines when connections count as wasted.
type Rule struct {
	// Limit is the server's request limit per connection; 0 means unknown.
	Limit int64
	// MinRatio is the minimum number of requests per new connection.
	MinRatio float64
	// MinNew is how many new connections a window must have for the ratio to count.
	MinNew int64
	Window time.Duration
}

const (
	// UsualWindow covers several renewals under load.
	UsualWindow = 30 * time.Second
	// UsualMinNew is more than one connection per second over UsualWindow: fewer are hardly a load.
	UsualMinNew = 40
	// ratioOfLimit separates what was measured with nginx's limit of 1000: pools that stampede had
	// 10 to 11 % of the limit (10 requests in flight) and 1 to 2 % (50 to 200); HTTP/1.1 over 100
	// connections had 22 %, 100 separate HTTP/2 clients 92 %.
	ratioOfLimit = 0.2
	// UsualRatio is for a server with an unknown limit: stampedes at 50 requests in flight and more
	// had 12 to 21 requests per connection.
	UsualRatio = 25
	// clearAbove is the hysteresis: an alarm clears well above the ratio that raised it.
	clearAbove = 1.5
)

// Complete fills in the defaults.
func (r Rule) Complete() Rule {
	if r.Window <= 0 {
		r.Window = UsualWindow
	}
	if r.MinNew <= 0 {
		r.MinNew = UsualMinNew
	}
	if r.MinRatio <= 0 {
		r.MinRatio = UsualRatio
		if r.Limit > 0 {
			r.MinRatio = ratioOfLimit * float64(r.Limit)
		}
	}
	return r
}

// difference is what happened between two readings.
type difference struct {
	at            time.Time // of the later reading
	took          time.Duration
	new, requests int64
}

// alarm judges a series of differences. It uses only their times.
type alarm struct {
	rule   Rule
	window []difference
	bad    int // consecutive differences with a bad window
	raised bool
}

// Evidence is the window that raised or cleared an alarm.
type Evidence struct {
	Seconds  float64  `json:"seconds"`
	New      int64    `json:"new"`
	Requests int64    `json:"requests"`
	PerNew   *float64 `json:"requests_per_new"`
	MinRatio float64  `json:"min_ratio"`
	// Expected is how many new connections the limit alone requires; null without a limit.
	Expected *int64 `json:"expected"`
}

// inARow is how many consecutive bad windows raise an alarm, so that one late reading doesn't.
const inARow = 2

// add processes a difference and reports whether the alarm changed.
func (a *alarm) add(d difference) (changed bool, e Evidence) {
	a.window = append(a.window, d)
	for len(a.window) > 1 && d.at.Sub(a.window[0].at) >= a.rule.Window {
		a.window = a.window[1:]
	}
	e = a.evidence()
	bad := e.Seconds >= a.rule.Window.Seconds()/2 && e.New >= a.rule.MinNew &&
		float64(e.Requests) < a.rule.MinRatio*float64(e.New)
	good := e.New < a.rule.MinNew/2 || float64(e.Requests) >= clearAbove*a.rule.MinRatio*float64(e.New)
	if bad {
		a.bad++
	} else {
		a.bad = 0
	}
	switch {
	case !a.raised && a.bad >= inARow, a.raised && good:
		a.raised, a.bad = !a.raised, 0
		return true, e
	}
	return false, e
}

// forget empties the window: counts from before a restart, or from before the server was
// unreachable, are obsolete. A raised alarm stays.
func (a *alarm) forget() { a.window, a.bad = nil, 0 }

func (a *alarm) evidence() Evidence {
	e := Evidence{MinRatio: a.rule.MinRatio}
	for _, d := range a.window {
		e.Seconds += d.took.Seconds()
		e.New += d.new
		e.Requests += d.requests
	}
	e.PerNew = ratio(e.Requests, e.New)
	if a.rule.Limit > 0 {
		expected := int64(math.Ceil(float64(e.Requests) / float64(a.rule.Limit)))
		e.Expected = &expected
	}
	return e
}

func ratio(requests, fresh int64) *float64 {
	if fresh <= 0 {
		return nil
	}
	v := float64(requests) / float64(fresh)
	return &v
}

// String describes the window in a sentence.
func (e Evidence) String() string {
	s := fmt.Sprintf("%s for %s in %s s", text.Things(e.New, "new connection"), text.Things(e.Requests, "request"),
		text.Whole(e.Seconds))
	if e.PerNew != nil {
		s += fmt.Sprintf(", %s requests each", text.Measured(*e.PerNew))
	}
	if e.Expected != nil {
		s += fmt.Sprintf("; the limit alone requires %s", text.Count(*e.Expected))
	}
	return s
}
