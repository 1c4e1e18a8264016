package cause

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"h2lab/internal/base/labtest"
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

// looked adds the survey's first connection, with one request.
func looked(e facts.Endpoint) facts.Endpoint {
	left := -500.0
	look := facts.AskedConnection{For: facts.ForLook, OpenedMS: -1000, LeftMS: &left, Requests: 1, Answered: 1}
	e.Asked = append([]facts.AskedConnection{look}, e.Asked...)
	return e
}

// bounded ends connections at a count, and at an age before it.
func bounded(limit int, age float64) func() server {
	return func() server { return func(n int, at float64) bool { return n >= limit || at >= age } }
}

func TestOtherEndsBeforeACountLeaveItACount(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("connections end at a count, and the slow ones at an age before it", func(t *testing.T) {
		for _, limit := range []int{200, 400, 1000} {
			c := Of(looked(survey(20000, bounded(limit, 1), busy, 4)))
			if c.Kind != Count || *c.Requests != limit || len(c.Earlier) == 0 || len(c.Earlier) >= len(c.Ends) {
				t.Errorf("limit %d: %s %v, earlier %+v, ends %+v", limit, c.Kind, c.Requests, c.Earlier, c.Ends)
			}
		}
	})
	f.Try("several connections end at one count, none lived longer: it may be an age", func(t *testing.T) {
		c := Of(survey(1000, bounded(400, 0.45), onTime, 4))
		if c.Kind != Unclear && c.Kind != Count || c.Kind == Count && *c.Requests != 400 {
			t.Errorf("%s %v, ends %+v", c.Kind, c.Requests, c.Ends)
		}
	})
}

// ended is a connection that one request at a time brought to its end.
func ended(opens, lived float64, requests int) facts.AskedConnection {
	a := late(0, requests, requests-1, opens+lived)
	a.OpenedMS = opens * 1000
	return a
}

// A server that counts the requests of all connections together ends each one that is asked alone at the same request.
func TestACountOfAllConnectionsIsNoLimitOfOne(t *testing.T) {
	look := looked(facts.Endpoint{}).Asked[0]
	alone := []facts.AskedConnection{ended(1, 1.2, 470), ended(4, 0.7, 77), ended(10, 0.02, 500),
		ended(20, 0.02, 500), ended(30, 0.02, 500)}
	alone[1].For = facts.ForPace
	c := Of(facts.Endpoint{Asked: append([]facts.AskedConnection{look, late(503, 503, 480, 0.01)}, alone...)})
	if c.Kind != Unclear || !slices.Equal(c.Fits, []string{Count}) {
		t.Errorf("each was asked alone: %s %v, ends %+v", c.Kind, c.Requests, c.Ends)
	}
	// The first one ended at 500 although another request went before it.
	c = Of(facts.Endpoint{Asked: append([]facts.AskedConnection{look, ended(0, 0.01, 500)}, alone...)})
	if c.Kind != Count || *c.Requests != 500 || len(c.Earlier) != 2 {
		t.Errorf("one was not the only one in use: %s %v, ends %+v", c.Kind, c.Requests, c.Ends)
	}
}

// The second connection compresses no headers, so a limit in bytes ends it earlier, and none in light use.
func TestOneEarlierEndMayBeOfBytes(t *testing.T) {
	c := Of(looked(facts.Endpoint{Asked: []facts.AskedConnection{ended(0, 0.04, 800), ended(1, 1, 426), ended(4, 0.9, 77),
		ended(10, 0.06, 800), ended(20, 0.1, 800), ended(30, 0.01, 800)}}))
	if c.Kind == Count || slices.Contains(c.Fits, Count) {
		t.Errorf("%s %v, ends %+v", c.Kind, c.Requests, c.Ends)
	}
}

// A count that others pass is none, and neither is one of two.
func TestACountThatIsNotTheLargestIsNotTheLimit(t *testing.T) {
	next := 0
	c := Of(survey(20000, func() server {
		next++
		return bounded([]int{300, 900}[next%2], 1)()
	}, onTime, 6))
	if c.Kind == Count || c.Kind == Age {
		t.Errorf("two counts and an age: %s %v, ends %+v", c.Kind, c.Requests, c.Ends)
	}
}

// late is a connection of a server that announces the end after it answered more, as Rust's hyper does.
func late(together, sent, answered int, seconds float64) facts.AskedConnection {
	ms := seconds * 1000
	return facts.AskedConnection{For: facts.ForLimit, How: facts.EndedByTwoStages, AnnouncedMS: &ms, Requests: sent,
		Answered: sent, Together: together, Goaways: []facts.GoawayFrame{{LastStreamID: 1<<31 - 1, Code: "NO_ERROR",
			Sent: sent, Answered: answered}}}
}

func TestALateAnnouncementNamesNoCount(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	burst := []facts.AskedConnection{late(291, 291, 194, 0.04), late(189, 189, 189, 1.2)}
	left := 1500.0
	open := facts.AskedConnection{For: facts.ForPace, Requests: 19, Answered: 19, LeftMS: &left}
	f.Try("the GOAWAY comes right after a burst: the requests before it have answers", func(t *testing.T) {
		later := []facts.AskedConnection{open, late(184, 184, 184, 0.04), late(179, 179, 179, 0.04)}
		c := Of(facts.Endpoint{Asked: append(slices.Clone(burst), later...)})
		if c.Kind != Unclear || !slices.Equal(c.Fits, []string{Count}) {
			t.Errorf("%s %v, ends %+v", c.Kind, c.Fits, c.Ends)
		}
	})
	f.Try("two connections met it one request at a time", func(t *testing.T) {
		later := []facts.AskedConnection{open, late(120, 150, 150, 0.04), late(120, 150, 149, 0.04), late(0, 150, 149, 0.04)}
		if c := Of(facts.Endpoint{Asked: append(slices.Clone(burst), later...)}); c.Kind != Count || *c.Requests != 150 {
			t.Errorf("%s %v, ends %+v", c.Kind, c.Fits, c.Ends)
		}
	})
}

// unusedAt is a connection that ended when it was unused for a time, after it had outlived a shorter one. Times are in seconds.
func unusedAt(opens, lived, unused, paused float64, requests int) facts.AskedConnection {
	a := late(0, requests, requests, opens+lived)
	ms := unused * 1000
	a.OpenedMS, a.UnusedMS, a.PausedMS = opens*1000, &ms, paused*1000
	return a
}

// idleTimeOut is a survey of a server that ends connections that are unused for 50 ms, and only those.
func idleTimeOut() []facts.AskedConnection {
	left := 5000.0
	open := facts.AskedConnection{For: facts.ForLimit, OpenedMS: 1000, LeftMS: &left, Requests: 20000, Answered: 20000, PausedMS: 3}
	light := []facts.AskedConnection{unusedAt(1, 0.05, 0.05, 0, 1), unusedAt(1.4, 0.09, 0.088, 0, 1)}
	for i := range light {
		light[i].For = facts.ForPace
	}
	return append(light, unusedAt(0, 0.9, 0.051, 0.002, 19941), open)
}

func TestAnIdleTimeOutIsNoLimitAndNoAge(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("the server ends connections that are unused for shorter than the pauses of the probe", func(t *testing.T) {
		c := Of(facts.Endpoint{Asked: idleTimeOut()})
		if c.Kind != Idle || *c.LeastS != 0.05 || *c.MostS != 0.088 || len(c.Unused) != 3 || c.MostRequests != 20000 {
			t.Errorf("%s %v, unused %+v, ends %+v", c.Kind, c.Fits, c.Unused, c.Ends)
		}
		c = Of(facts.Endpoint{Asked: idleTimeOut()[2:3]})
		if c.Kind != Unclear || !slices.Equal(c.Fits, []string{Idle}) {
			t.Errorf("one end: %s %v", c.Kind, c.Fits)
		}
	})
	f.Try("an idle time-out ends the lightly used connections before a count", func(t *testing.T) {
		asked := append(idleTimeOut()[:2], ended(0.95, 0.04, 500), ended(1, 1.2, 500), ended(10, 0.1, 500))
		if c := Of(facts.Endpoint{Asked: asked}); c.Kind != Count || *c.Requests != 500 || len(c.Unused) != 2 || len(c.Ends) != 3 {
			t.Errorf("%s %v, unused %+v, ends %+v", c.Kind, c.Fits, c.Unused, c.Ends)
		}
	})
}

// A connection that is ended because it is unused has lived so long, and carried so many requests, without another end.
func TestWhatUnusedConnectionsOutlived(t *testing.T) {
	asked := append(idleTimeOut()[:1], unusedAt(1, 1.3, 0.055, 0.01, 400), ended(0, 0.03, 500), ended(10, 0.04, 500), ended(20, 0.05, 500))
	if c := Of(facts.Endpoint{Asked: asked}); c.Kind != Count || *c.Requests != 500 {
		t.Errorf("an age of 0.05 s fits: %s %v", c.Kind, c.Fits)
	}
	asked[1].Requests, asked[1].Answered, asked[1].Goaways[0].Sent, asked[1].Goaways[0].Answered = 800, 800, 800, 800
	if c := Of(facts.Endpoint{Asked: asked}); c.Kind == Count {
		t.Errorf("a count of 500 after 800 requests: %s %v", c.Kind, c.Fits)
	}
}

// An end within pauses that connections outlived, or together with connections in use, is not one of an idle time-out.
func TestAnEndOfAnUnusedConnectionMayHaveAnotherCause(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("a connection outlived a longer pause", func(t *testing.T) {
		asked := idleTimeOut()
		asked[3].PausedMS = 60
		if c := Of(facts.Endpoint{Asked: asked}); c.Kind == Idle || len(c.Unused) > 0 {
			t.Errorf("%s, unused %+v", c.Kind, c.Unused)
		}
	})
	f.Try("a connection that is watched without requests lives much longer", func(t *testing.T) {
		watched := unusedAt(6, 4, 4, 0, 1)
		watched.For = facts.ForIdle
		if c := Of(facts.Endpoint{Asked: append(idleTimeOut(), watched)}); c.Kind == Idle || len(c.Unused) > 0 {
			t.Errorf("%s, unused %+v", c.Kind, c.Unused)
		}
	})
	f.Try("connections are unused for very different times when they end", func(t *testing.T) {
		if c := Of(facts.Endpoint{Asked: append(idleTimeOut(), unusedAt(2, 0.4, 0.4, 0, 1))}); c.Kind == Idle || len(c.Unused) > 0 {
			t.Errorf("%s, unused %+v", c.Kind, c.Unused)
		}
	})
	f.Try("a reload ends a connection in use with them", func(t *testing.T) {
		if c := Of(facts.Endpoint{Asked: append(idleTimeOut(), ended(0.5, 0.56, 900))}); c.Kind == Idle || len(c.Unused) > 0 {
			t.Errorf("%s, unused %+v", c.Kind, c.Unused)
		}
	})
	for _, age := range []float64{0.7, 2, 5} { // the lightly used ones end within a pause
		e := survey(3000, aged(age, 0, 0), onTime, 0)
		for i, a := range e.Asked {
			if pause := 0.07 * age; a.For == facts.ForPace && a.How != "" {
				ms := 1000 * math.Mod(age, pause)
				e.Asked[i].UnusedMS, e.Asked[i].PausedMS = &ms, 1000*pause
			}
		}
		if c := Of(e); c.Kind != Age || len(c.Unused) > 0 {
			t.Errorf("age %g: %s, unused %+v", age, c.Kind, c.Unused)
		}
	}
}

// Connections of different ages that end at one moment are one end.
func TestEndsAtOneMomentAreNoAge(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("a server ends all connections that are older than 2 s every five seconds", func(t *testing.T) {
		asked := []facts.AskedConnection{ended(0.04, 4.11, 19978), ended(4.18, 4.97, 9852), ended(4.18, 4.97, 14), ended(5.82, 3.33, 9)}
		for i := range asked[2:] {
			asked[2+i].For = facts.ForPace
		}
		if c := Of(facts.Endpoint{Asked: asked}); c.Kind != Neither {
			t.Errorf("%s, ends %+v", c.Kind, c.Ends)
		}
	})
}

// Apache's graceful restarts: connections that are opened during one wait for it, and live to the next.
func TestRestartsAtIntervalsAreNoAge(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("a server restarts every 0.7 s, and each connection is opened right after a restart", func(t *testing.T) {
		asked := []facts.AskedConnection{ended(0.015, 0.64, 2300), ended(1.367, 0.68, 505), ended(1.37, 0.684, 7), ended(1.368, 0.685, 7)}
		for i := range asked[2:] {
			asked[2+i].For = facts.ForPace
		}
		c := Of(facts.Endpoint{Asked: asked})
		if c.Kind != Unclear || !slices.Equal(c.Fits, []string{Age}) {
			t.Errorf("%s %v, ends %+v", c.Kind, c.Fits, c.Ends)
		}
		asked[3].OpenedMS, *asked[3].AnnouncedMS = 1700, 1700+685 // opened and ended later than the one beside it
		if c := Of(facts.Endpoint{Asked: asked}); c.Kind != Age {
			t.Errorf("%s %v, ends %+v", c.Kind, c.Fits, c.Ends)
		}
	})
}

func TestAGoawayBeforeTheFirstRequestEndsAtNone(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("the server sends a GOAWAY with the stream 0 when a connection opens", func(t *testing.T) {
		a := late(0, 1, 0, 0.01)
		a.Answered, a.Goaways[0].LastStreamID = 0, 0
		if c := Of(facts.Endpoint{Asked: []facts.AskedConnection{a}}); c.Ends[0].Requests != 0 || c.Ends[0].Least != 0 {
			t.Errorf("%+v", c.Ends)
		}
	})
}
