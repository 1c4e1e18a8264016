package cause

import (
	"math"
	"slices"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

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
