package counters

import (
	"context"
	"errors"
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

func TestATimelineHasEqualColumnsAndItsZeroAtTheMark(t *testing.T) {
	src := &scripted{give: func(i int64) (facts.Observation, error) { return observed(i, 0, 10*i), nil }}
	var s Sampler
	s.Start(t.Context(), src, time.Millisecond)
	until(t, "five readings were taken", func() bool { return src.count.Load() >= 5 })
	s.Mark()
	seen := src.count.Load()
	until(t, "five more were taken", func() bool { return src.count.Load() >= seen+5 })
	got, err := s.Stop()
	labtest.Check(t, err)
	if len(got.TMS) < 10 || len(got.TMS) != len(got.Accepted) || len(got.TMS) != len(got.Requests) {
		t.Fatalf("columns of %d, %d and %d", len(got.TMS), len(got.Accepted), len(got.Requests))
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
		t.Errorf("%d of %d readings lie before the mark, about %d were taken by then", before, len(got.TMS), seen)
	}
	if after := src.count.Load(); after != int64(len(got.TMS)) {
		t.Errorf("%d readings, %d rows", after, len(got.TMS))
	}
}

func TestAFailedReadingIsCountedAndNotInvented(t *testing.T) {
	src := &scripted{give: func(i int64) (facts.Observation, error) {
		if i%2 == 0 {
			return facts.Observation{}, errors.New("no answer")
		}
		return observed(i, 0, i), nil
	}}
	var s Sampler
	s.Start(t.Context(), src, time.Millisecond)
	until(t, "six readings were taken", func() bool { return src.count.Load() >= 6 })
	got, err := s.Stop()
	failed, why := s.Failed()
	if err != nil || why == nil || failed+len(got.TMS) != int(src.count.Load()) || failed < 3 {
		t.Errorf("%d rows and %d failures (%v) of %d readings, error %v", len(got.TMS), failed, why,
			src.count.Load(), err)
	}
	var none Sampler
	none.Start(t.Context(), &scripted{give: func(int64) (facts.Observation, error) {
		return facts.Observation{}, errors.New("no answer")
	}}, time.Millisecond)
	until(t, "a reading failed", func() bool { n, _ := none.Failed(); return n > 0 })
	if _, err := none.Stop(); err == nil {
		t.Error("a timeline without a single reading is no error")
	}
}

func TestASamplerThatWasNotStartedMeasuresNothing(t *testing.T) {
	var s Sampler
	s.Mark()
	got, err := s.Stop()
	if err != nil || got.TMS == nil || len(got.TMS) != 0 || len(got.Accepted) != 0 || got.Source == nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSnapshotsAndTimelineDoNotCountEachOther(t *testing.T) {
	addr, accepts, requests := fakeNginx(t)
	accepts.Add(7)
	requests.Add(70)
	src := open(t, "", facts.Server{Name: "n", Kind: facts.Nginx, Counters: addr})
	var s Sampler
	s.Start(t.Context(), src, time.Millisecond)
	for range 50 {
		if got := numbers(read(t, src)); got != [3]int64{7, -1, 70} {
			t.Fatalf("a snapshot beside the sampler says %v", got)
		}
	}
	got, err := s.Stop()
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
	src := &scripted{give: func(i int64) (facts.Observation, error) { return observed(min(i, 4), 1, 1), nil }}
	got, err := Settle(t.Context(), src)
	if err != nil || *got.Accepted != 4 || src.count.Load() != 5 {
		t.Errorf("accepted %d after %d readings, error %v; want 4 after 5", *got.Accepted, src.count.Load(), err)
	}
}

func TestSettleGivesTheLastReadingOfCountersThatKeepMoving(t *testing.T) {
	src := &scripted{give: func(i int64) (facts.Observation, error) { return observed(i, 0, 0), nil }}
	began := time.Now()
	got, err := Settle(t.Context(), src)
	if !errors.Is(err, ErrUnsettled) || got.Accepted == nil || *got.Accepted != src.count.Load() {
		t.Errorf("got %v of %d readings, error %v", numbers(got), src.count.Load(), err)
	}
	if took := time.Since(began); took < settleLimit/2 || took > 3*settleLimit {
		t.Errorf("took %v", took)
	}
}

func TestSettleEndsWithItsContextAndWithAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	moving := &scripted{give: func(i int64) (facts.Observation, error) { cancel(); return observed(i, 0, 0), nil }}
	if _, err := Settle(ctx, moving); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	gone := errors.New("gone")
	broken := &scripted{give: func(i int64) (facts.Observation, error) {
		if i > 1 {
			return facts.Observation{}, gone
		}
		return observed(i, 0, 0), nil
	}}
	if _, err := Settle(t.Context(), broken); !errors.Is(err, gone) {
		t.Errorf("error %v, want the source's", err)
	}
}

// nilSource panics as a source that was never opened does.
type nilSource struct{ Source }

func (nilSource) Observe(context.Context) (facts.Observation, error) {
	var none *facts.Observation
	return *none, nil
}

func (nilSource) Close() {}

func TestAPanicOfTheSamplerReachesStop(t *testing.T) {
	var s Sampler
	s.Start(t.Context(), nilSource{}, time.Hour)
	defer func() {
		if p := await.Caught(recover()); p == nil || !strings.Contains(p.Where, "sampler_test.go") {
			t.Errorf("%+v", p)
		}
	}()
	_, _ = s.Stop()
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
