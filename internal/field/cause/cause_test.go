package cause

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"h2lab/internal/facts"
)

// dice is the same in every run.
var dice = rand.New(rand.NewPCG(1, 2))

// server says when a connection ends: after request n, at an age in seconds; 0 means not.
type server func(n int, age float64) bool

// way is how one connection is asked: requests per second, how many are in flight, how many and for
// how long at most.
type way struct {
	purpose string
	rate    float64
	flying  int
	most    int
	until   float64
	// opens is when, in seconds.
	opens float64
}

// ask simulates a connection. A noisy client sees what happens late.
func (w way) ask(s server, late float64) facts.AskedConnection {
	a := facts.AskedConnection{For: w.purpose, OpenedMS: w.opens * 1000, Goaways: []facts.GoawayFrame{}}
	at := 0.0
	for n := 1; n <= w.most && (w.until == 0 || at < w.until); n++ {
		at = float64(n) / w.rate
		a.Requests, a.Answered = n, n
		if !s(n, at) {
			continue
		}
		sent := n + w.flying - 1
		ms := (w.opens + at + late) * 1000
		a.How, a.AnnouncedMS, a.Requests = facts.EndedByGoaway, &ms, sent
		a.Goaways = append(a.Goaways, facts.GoawayFrame{LastStreamID: uint32(2*n - 1), Code: "NO_ERROR", Sent: sent,
			Answered: n - 1})
		return a
	}
	left := (w.opens + at) * 1000
	a.LeftMS = &left
	return a
}

// survey asks as the probe does: at full speed, then at less than half of it beside two lightly used
// connections, then at full speed again.
func survey(full float64, s func() server, late func() float64, connections int) facts.Endpoint {
	var e facts.Endpoint
	same := s()
	first := way{facts.ForLimit, full, 100, 20000, 0, 0}.ask(same, late())
	e.Asked = append(e.Asked, first)
	if first.How == "" {
		held := way{facts.ForLimit, 10, 1, 60, 6, 0}
		e.Asked[0] = held.after(first, same)
	}
	lived := lifeOf(e.Asked[0]).seconds
	if e.Asked[0].How != "" {
		watch := 1.05 * OutlivesS(lived)
		met := float64(max(1, first.Answered))
		e.Asked = append(e.Asked, way{facts.ForLimit, 0.65 * met / watch, 1, 3 * int(met), 0, 10}.ask(s(), late()),
			way{facts.ForPace, 20 / watch, 1, math.MaxInt, watch, 10}.ask(s(), late()),
			way{facts.ForPace, 20 / watch, 1, math.MaxInt, watch, 10 + max(0.3, 0.4*lived)}.ask(s(), late()))
	}
	for i := range connections {
		e.Asked = append(e.Asked, way{facts.ForLimit, full, 1, 1200, 0, float64(30 + 60*i)}.ask(s(), late()))
	}
	return e
}

// after continues a connection that was not ended in light use.
func (w way) after(a facts.AskedConnection, s server) facts.AskedConnection {
	from := a.Answered
	b := w.ask(func(n int, age float64) bool { return s(from+n, age+*a.LeftMS/1000) }, 0)
	b.Requests, b.Answered = b.Requests+from, b.Answered+from
	for _, ms := range []*float64{b.AnnouncedMS, b.LeftMS} {
		if ms != nil {
			*ms += *a.LeftMS
		}
	}
	for i := range b.Goaways {
		b.Goaways[i].Sent += from
		b.Goaways[i].Answered += from
		b.Goaways[i].LastStreamID += uint32(2 * from)
	}
	return b
}

func count(limit int) func() server {
	return func() server { return func(n int, _ float64) bool { return n >= limit } }
}

// aged ends at an age that differs by a part from connection to connection, and that the server
// looks at every tick seconds.
func aged(age, jitter, tick float64) func() server {
	return func() server {
		T := age * (1 + jitter*(2*dice.Float64()-1))
		if tick > 0 {
			T = (math.Floor(T/tick) + dice.Float64()) * tick
			T = max(T, age)
		}
		return func(_ int, at float64) bool { return at >= T }
	}
}

func onTime() float64 { return 0 }

func busy() float64 { return 0.08 * dice.Float64() }

func TestACountIsToldAtEveryPace(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 19, 100, 250, 1000, 10000} {
		for _, rate := range []float64{50, 200, 3000, 90000} {
			for name, late := range map[string]func() float64{"on time": onTime, "busy": busy} {
				c := Of(survey(rate, count(limit), late, 1))
				if c.Kind != Count || *c.Requests != limit || slices.Contains(c.Fits, Age) {
					t.Errorf("limit %d at %g a second, %s: %s %v, ends %+v", limit, rate, name, c.Kind, c.Fits, c.Ends)
				}
			}
		}
	}
}

func TestAnAgeIsToldAndNeverACount(t *testing.T) {
	for _, age := range []float64{0.7, 2, 3, 5} {
		for _, rate := range []float64{50, 200, 3000, 90000} {
			for name, s := range map[string]func() server{"exact": aged(age, 0, 0), "gRPC's tenth": aged(age, 0.1, 0)} {
				for name2, late := range map[string]func() float64{"on time": onTime, "busy": busy} {
					c := Of(survey(rate, s, late, 0))
					if c.Kind != Age || *c.LeastS < 0.85*age || *c.MostS > 1.3*age+0.3 {
						t.Errorf("age %g at %g a second, %s, %s: %s %v, ends %+v, watched %g", age, rate, name, name2, c.Kind,
							c.Fits, c.Ends, c.WatchedS)
					}
				}
			}
		}
	}
}

func TestACoarseTimerIsNeverACount(t *testing.T) {
	for range 50 {
		for _, age := range []float64{1, 2, 4} {
			if c := Of(survey(3000, aged(age, 0, 1), busy, 1)); c.Kind != Age && c.Kind != Neither && c.Kind != Unclear {
				t.Fatalf("age %g looked at once a second: %s, ends %+v", age, c.Kind, c.Ends)
			}
		}
	}
}

// A server that ends connections at random must seldom look as one with a limit.
func TestChanceIsRarelyTakenForALimit(t *testing.T) {
	wrong, all := 0, 0
	for _, chance := range []float64{0.001, 0.005, 0.02} {
		for range 500 {
			c := Of(survey(3000, func() server {
				return func(int, float64) bool { return dice.Float64() < chance }
			}, onTime, 4))
			if all++; c.Kind == Count || c.Kind == Age {
				wrong++
			}
		}
	}
	if wrong > all/50 {
		t.Errorf("%d of %d surveys named a limit", wrong, all)
	}
}

// A reload ends all connections at one moment: at different ages, since they were opened at
// different times.
func TestAReloadIsNoAge(t *testing.T) {
	for _, at := range []float64{0.1, 0.5, 1, 3} {
		e := survey(3000, func() server { return func(_ int, age float64) bool { return age >= at } }, onTime, 0)
		for i := range e.Asked { // the same ends, but of one moment
			if a := &e.Asked[i]; a.For == facts.ForPace && a.OpenedMS > 10000 {
				moment := 10000 + at*1000
				a.AnnouncedMS = &moment
				a.OpenedMS = min(a.OpenedMS, moment)
			}
		}
		if c := Of(e); c.Kind == Age || c.Kind == Count {
			t.Errorf("a reload after %g s: %s, ends %+v", at, c.Kind, c.Ends)
		}
	}
}

func TestServersThatDifferAreSeveral(t *testing.T) {
	for name, limits := range map[string][]int{"two limits": {100, 1000}, "one has none": {100, math.MaxInt},
		"the other first": {math.MaxInt, 100}, "three": {100, 200, 1000}} {
		next := 0
		c := Of(survey(3000, func() server {
			limit := limits[next%len(limits)]
			next++
			return count(limit)()
		}, onTime, 6))
		if c.Kind != Several || c.Groups[0].Requests != 100 {
			t.Errorf("%s: %s, groups %v, ends %+v", name, c.Kind, c.Groups, c.Ends)
		}
	}
}

func TestWithoutAnEndThereIsNoCause(t *testing.T) {
	c := Of(survey(3000, count(math.MaxInt), onTime, 0))
	if c.Kind != None || c.MostRequests < 20000 || c.WatchedS < 5.9 || c.Requests != nil || c.LeastS != nil {
		t.Errorf("%+v", c)
	}
	if c := Of(facts.Endpoint{}); c.Kind != Unclear || len(c.Fits) > 0 {
		t.Errorf("%+v", c)
	}
}

func TestOneEndIsUnclear(t *testing.T) {
	one := way{facts.ForLimit, 3000, 100, 20000, 0, 0}.ask(count(1000)(), 0)
	c := Of(facts.Endpoint{Asked: []facts.AskedConnection{one}})
	if c.Kind != Unclear || !slices.Equal(c.Fits, []string{Count, Age}) {
		t.Errorf("%+v", c)
	}
	// The same pace twice tells nothing.
	c = Of(facts.Endpoint{Asked: []facts.AskedConnection{one, one, one}})
	if c.Kind != Unclear || !slices.Equal(c.Fits, []string{Count, Age}) {
		t.Errorf("%+v", c)
	}
}

func TestAnErrorIsNoLimit(t *testing.T) {
	e := survey(3000, count(500), onTime, 1)
	for i := range e.Asked {
		if e.Asked[i].How != "" {
			e.Asked[i].How = facts.EndedByError
		}
	}
	if c := Of(e); c.Kind != Failure || c.Requests != nil {
		t.Errorf("%+v", c)
	}
}

// Request 300 runs and the connection is destroyed: 299 answers are not a limit of 299.
func TestARequestThatEndsItsConnectionUnanswered(t *testing.T) {
	e := survey(3000, count(300), onTime, 2)
	for i := range e.Asked {
		a := &e.Asked[i]
		if a.How == "" {
			continue
		}
		a.EndedMS, a.AnnouncedMS, a.Goaways, a.How = a.AnnouncedMS, nil, nil, facts.EndedByReset
		a.Answered, a.MayHaveRun, a.ClosedUnder = 299, a.Requests-299, a.Requests == 300
	}
	if c := Of(e); c.Kind != Count || *c.Requests != 300 || !c.Unanswered {
		t.Errorf("%+v", c)
	}
	// Without proof that the connection was open, the end may have come before the request.
	for i := range e.Asked {
		e.Asked[i].ClosedUnder = false
	}
	if c := Of(e); c.Kind == Count && *c.Requests == 299 {
		t.Errorf("%+v", c)
	}
}

// A server that names the newest stream that it has read (Go's) gives a bound, not the limit.
func TestANewestStreamIsABound(t *testing.T) {
	e := survey(3000, count(400), onTime, 2)
	e.Asked[0].Goaways[0].LastStreamID += 68
	if c := Of(e); c.Kind != Count || *c.Requests != 400 {
		t.Errorf("%+v", c)
	}
}

// What the server calls unused is no evidence of a count or an age, and hides none.
func TestConnectionsThatTheServerCallsUnused(t *testing.T) {
	e := survey(3000, aged(2, 0, 0), onTime, 2)
	for i, a := range e.Asked {
		if a.How != "" {
			e.Asked[i].Goaways[0].Debug = "max_idle"
		}
	}
	if c := Of(e); c.Kind != Unclear || len(c.Fits) > 0 || len(c.Ends) < 3 {
		t.Errorf("%+v", c)
	}
	unused := ended(90, 2, 5)
	unused.For, unused.Goaways[0].Debug = facts.ForPace, "idle_timeout"
	e = survey(3000, count(300), onTime, 3)
	e.Asked = append(e.Asked, unused)
	if c := Of(e); c.Kind != Count || *c.Requests != 300 || len(c.Earlier) > 0 {
		t.Errorf("%+v", c)
	}
}
