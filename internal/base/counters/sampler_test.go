package counters

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"h2lab/internal/base/await"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// scripted returns the readings of a function, in order.
type scripted struct {
	count atomic.Int64
	give  func(i int64) (facts.Observation, error)
}

func (s *scripted) Observe(context.Context) (facts.Observation, error) { return s.give(s.count.Add(1)) }
func (s *scripted) Close()                                             {}

// observed is a reading with all three numbers.
func observed(accepted, used, requests int64) facts.Observation {
	return facts.Observation{At: time.Now(), Accepted: &accepted, Used: &used, Requests: &requests}
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(5 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func TestATimelineHasEqualColumnsAndItsZeroWhereTheWindowOpens(t *testing.T) {
	src := &scripted{give: func(i int64) (facts.Observation, error) { return observed(i, 0, 10*i), nil }}
	var each atomic.Int64
	stop := Sample(t.Context(), src, time.Millisecond, func(facts.Observation) { each.Add(1) })
	until(t, "five readings were taken", func() bool { return each.Load() >= 5 })
	zero, seen := time.Now(), each.Load()
	until(t, "five more were taken", func() bool { return each.Load() >= seen+5 })
	got, err := stop().Series(zero)
	labtest.Check(t, err)
	if n := len(got.TMS); n < 10 || n != len(got.Accepted) || n != len(got.Requests) || int64(n) != src.count.Load() ||
		int64(n) != each.Load() {
		t.Fatalf("columns of %d, %d and %d for %d readings", n, len(got.Accepted), len(got.Requests), src.count.Load())
	}
	before := 0
	for i, at := range got.TMS {
		if i > 0 && at < got.TMS[i-1] || got.Accepted[i] != int64(i+1) || got.Requests[i] != int64(10*i+10) {
			t.Errorf("row %d: %v ms, %d, %d", i, at, got.Accepted[i], got.Requests[i])
		}
		if at < 0 {
			before++
		}
	}
	if int64(before) < seen-1 || before == len(got.TMS) {
		t.Errorf("%d of %d readings lie before the window, about %d were taken by then", before, len(got.TMS), seen)
	}
}

func TestAFailedReadingIsCountedAndNotInvented(t *testing.T) {
	for every, fails := range map[int64]bool{1: true, 2: false} {
		src := &scripted{give: func(i int64) (facts.Observation, error) {
			if i%every == 0 {
				return facts.Observation{}, errors.New("no answer")
			}
			return observed(i, 0, i), nil
		}}
		stop := Sample(t.Context(), src, time.Millisecond, nil)
		until(t, "six readings were taken", func() bool { return src.count.Load() >= 6 })
		line := stop()
		got, err := line.Series(time.Now())
		if (err != nil) != fails || line.Err == nil || line.Failed+len(got.TMS) != int(src.count.Load()) || line.Failed < 3 {
			t.Errorf("%d rows and %d failures (%v) of %d readings, error %v", len(got.TMS), line.Failed, line.Err,
				src.count.Load(), err)
		}
	}
}

func TestSnapshotsAndTimelineDoNotCountEachOther(t *testing.T) {
	addr, accepts, requests := fakeNginx(t)
	accepts.Add(7)
	requests.Add(70)
	src := open(t, "", facts.Server{Name: "n", Kind: facts.Nginx, Counters: addr})
	stop := Sample(t.Context(), src, time.Millisecond, nil)
	for range 50 {
		if got := numbers(read(t, src)); got != [3]int64{7, -1, 70} {
			t.Fatalf("a snapshot beside the sampler says %v", got)
		}
	}
	got, err := stop().Series(time.Now())
	if err != nil || len(got.TMS) == 0 {
		t.Fatalf("%d rows, error %v", len(got.TMS), err)
	}
	for i := range got.TMS {
		if got.Accepted[i] != 7 || got.Requests[i] != 70 {
			t.Errorf("row %d: %d accepted, %d requests", i, got.Accepted[i], got.Requests[i])
		}
	}
	if got.Source["accepted"] != "accepts" {
		t.Errorf("columns are named %v", got.Source)
	}
}

func TestSettleWaitsUntilTwoReadingsAgree(t *testing.T) {
	gone := errors.New("gone")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, x := range []struct {
		name     string
		ctx      context.Context
		accepted func(i int64) int64
		fails    int64 // from this reading on
		readings int64 // 0 is any number
		want     error
	}{
		{"four different readings", t.Context(), func(i int64) int64 { return min(i, 4) }, 99, 5, nil},
		{"counters that keep moving", t.Context(), func(i int64) int64 { return i }, math.MaxInt64, 0, ErrUnsettled},
		{"a context that has ended", ended, func(i int64) int64 { return i }, 99, 1, context.Canceled},
		{"a source that is gone", t.Context(), func(i int64) int64 { return i }, 2, 2, gone},
	} {
		src := &scripted{give: func(i int64) (facts.Observation, error) {
			if i >= x.fails {
				return facts.Observation{}, gone
			}
			return observed(x.accepted(i), 1, 1), nil
		}}
		began := time.Now()
		got, err := Settle(x.ctx, src)
		if n := src.count.Load(); !errors.Is(err, x.want) || (x.want == nil) != (err == nil) || x.readings != 0 && n != x.readings ||
			x.want != gone && *got.Accepted != x.accepted(n) {
			t.Errorf("%s: %v after %d readings, error %v", x.name, numbers(got), n, err)
		}
		if took := time.Since(began); x.want == ErrUnsettled && took < settleLimit/2 || took > 3*settleLimit {
			t.Errorf("%s took %v", x.name, took)
		}
	}
}

// nilSource panics as a source that was never opened does.
type nilSource struct{ Source }

func (nilSource) Observe(context.Context) (facts.Observation, error) {
	var none *facts.Observation
	return *none, nil
}

func (nilSource) Close() {}

func TestAPanicOfAReadingReachesTheOneThatStops(t *testing.T) {
	stop := Sample(t.Context(), nilSource{}, time.Hour, nil)
	defer func() {
		if p := await.Caught(recover()); p == nil || !strings.Contains(p.Where, "sampler_test.go") {
			t.Errorf("%+v", p)
		}
	}()
	_ = stop()
}

func TestProcessorTimeIsToldApart(t *testing.T) {
	before := facts.CPU{Proxy: new(3.0), Backend: new(3.0), Client: new(4.0), Lab: new(5.0), Other: new(100.0), Stolen: new(10.0)}
	after := facts.CPU{Proxy: new(5.0), Backend: new(4.0), Client: new(7.0), Lab: new(5.5), Other: new(110.0), Stolen: new(11.0)}
	used := facts.CPU{Proxy: new(2.0), Backend: new(1.0), Client: new(3.0), Lab: new(0.5), Other: new(3.5), Stolen: new(1.0)}
	with := func(c facts.CPU, change func(*facts.CPU)) facts.CPU { change(&c); return c }
	for _, x := range []struct {
		name                string
		before, after, want facts.CPU
	}{
		{"all parts", before, after, used},
		{"no proxy", with(before, func(c *facts.CPU) { c.Proxy = nil }), with(after, func(c *facts.CPU) { c.Proxy = nil }),
			with(used, func(c *facts.CPU) { c.Proxy, c.Other = nil, new(5.5) })},
		{"a service", with(before, func(c *facts.CPU) { c.Service = new(7.0) }), with(after, func(c *facts.CPU) { c.Service = new(9.25) }),
			with(used, func(c *facts.CPU) { c.Service, c.Other = new(2.25), new(1.25) })},
		{"a client that ended", before, with(after, func(c *facts.CPU) { c.Client = nil }),
			with(used, func(c *facts.CPU) { c.Client, c.Other = nil, nil })},
		{"ticks that don't add up", before, with(after, func(c *facts.CPU) { c.Other = new(106.49) }),
			with(used, func(c *facts.CPU) { c.Other = new(0.0) })},
	} {
		if diff := cmp.Diff(x.want, CPUSince(x.before, x.after), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, diff)
		}
	}
}

func TestARealReadingKnowsThisProcessAndTheMachine(t *testing.T) {
	var m CPUMeter
	before := m.Read()
	if before.Lab == nil || before.Other == nil || *before.Other < *before.Lab {
		t.Fatalf("lab %v s, machine %v s", before.Lab, before.Other)
	}
	if got := CPUSince(before, m.Read()); got.Lab == nil || *got.Lab < 0 || got.Other == nil || got.Proxy != nil {
		t.Errorf("got %+v", got)
	}
	m.Beside = []int{-1} // a delay line that ended, whose time is the lab's
	if got := m.Read(); got.Lab != nil {
		t.Errorf("the lab's time without a part of it is %v", *got.Lab)
	}
}
