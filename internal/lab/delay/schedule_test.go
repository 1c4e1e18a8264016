package delay

import (
	"math"
	"strings"
	"testing"
	"time"

	"h2lab/internal/facts"
)

const ms = time.Millisecond

func TestAPacketLeavesAfterHalfTheRoundTrip(t *testing.T) {
	s := newSchedule(Line{RTT: 20 * ms}, 0)
	for _, now := range []time.Duration{0, 1, 5 * ms} {
		if at, lost := s.leaves(now, 100); at != now+10*ms || lost {
			t.Errorf("arrived at %s, leaves at %s, lost %t", now, at, lost)
		}
	}
}

func TestJitterSpreadsRoundTripsAndKeepsTheOrder(t *testing.T) {
	s := newSchedule(Line{RTT: 20 * ms, Jitter: 8 * ms, Seed: 1}, 0)
	last, least, most := time.Duration(0), time.Hour, time.Duration(0)
	for i := range 2000 {
		now := time.Duration(i) * 10 * ms // so far apart that none waits for the one before
		at, _ := s.leaves(now, 100)
		if at < last {
			t.Fatalf("packet %d leaves at %s, before the one before it (%s)", i, at, last)
		}
		last, least, most = at, min(least, at-now), max(most, at-now)
	}
	if least < 6*ms || least > 6500*time.Microsecond || most > 14*ms || most < 13500*time.Microsecond {
		t.Errorf("held for %s to %s, want 6 to 14 ms", least, most)
	}
	for i := range 2000 { // and close together
		if at, _ := s.leaves(last+time.Duration(i), 100); at < last {
			t.Fatal("a packet overtakes another one")
		}
	}
}

// A changed line holds the packets that arrive from then on as it says; none overtakes an earlier one.
func TestAChangedLineKeepsTheOrder(t *testing.T) {
	s := newSchedule(Line{RTT: 80 * ms}, 0)
	first, _ := s.leaves(0, 100)
	s.line.Store(&Line{})
	behind, _ := s.leaves(10*ms, 100)
	after, _ := s.leaves(50*ms, 100)
	s.line.Store(&Line{RTT: 20 * ms})
	longer, _ := s.leaves(60*ms, 100)
	if first != 40*ms || behind != 40*ms || after != 50*ms || longer != 70*ms {
		t.Errorf("packets leave at %s, %s, %s and %s, want 40, 40, 50 and 70 ms", first, behind, after, longer)
	}
}

func TestLossIsTheShareThatWasAskedFor(t *testing.T) {
	s, lost := newSchedule(Line{Loss: 0.05, Seed: 1}, 0), 0.0
	for range 20_000 {
		if _, gone := s.leaves(0, 100); gone {
			lost++
		}
	}
	if share := lost / 20_000; math.Abs(share-0.05) > 0.006 { // four standard deviations
		t.Errorf("%g of the packets are lost, want 0.05", share)
	}
}

func TestTheRateSpacesPackets(t *testing.T) {
	s := newSchedule(Line{RTT: 20 * ms, Rate: 12_000_000}, 0) // 1,500 bytes take 1 ms
	for i := 1; i <= 5; i++ {
		if at, _ := s.leaves(0, 1500); at != time.Duration(i)*ms+10*ms {
			t.Errorf("packet %d leaves at %s", i, at)
		}
	}
	if at, _ := s.leaves(time.Second, 1500); at != time.Second+11*ms {
		t.Errorf("after a pause a packet leaves at %s", at)
	}
}

func TestTheQueueKeepsOrderAndContent(t *testing.T) {
	var h held
	in, out := 0, 0
	pop := func() {
		if p := h.first(); p.at != time.Duration(out) || string(p.frame) != strings.Repeat("x", out%50) {
			t.Fatalf("packet %d: %s, %d bytes", out, p.at, len(p.frame))
		}
		h.pop()
		out++
	}
	for round := range 40 {
		for range 37 {
			h.push(time.Duration(in), []byte(strings.Repeat("x", in%50)), 1)
			in++
		}
		for range 20 + round%30 {
			if !h.empty() {
				pop()
			}
		}
	}
	for !h.empty() {
		pop()
	}
	if in != out {
		t.Errorf("%d went in, %d came out", in, out)
	}
}

func TestAFullQueueRefuses(t *testing.T) {
	var h held
	for range mostHeld {
		if !h.push(0, []byte{1}, 1) {
			t.Fatal("refused too early")
		}
	}
	if h.push(0, []byte{1}, 1) {
		t.Error("a full queue takes a packet")
	}
}

func TestTheLineOfADistance(t *testing.T) {
	got := Of(facts.Distance{RTTMS: 20.5, JitterMS: 2, LossPercent: 1, MbitPerS: 100})
	if want := (Line{RTT: 20500 * time.Microsecond, Jitter: 2 * ms, Loss: 0.01, Rate: 100_000_000}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
