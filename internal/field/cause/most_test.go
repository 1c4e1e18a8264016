package cause

import (
	"slices"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

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
