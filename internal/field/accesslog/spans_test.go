package accesslog

import (
	"math"
	"testing"
)

func TestSpans(t *testing.T) {
	s := newSpans()
	if _, ok := s.quantile(.5); ok {
		t.Error("a median of nothing")
	}
	for ms := range int64(1000) {
		s.add(ms + 1)
	}
	s.add(-5)            // a clock that went back
	s.add(math.MaxInt64) // a wrong clock
	for q, want := range map[float64]float64{.1: 100, .5: 500, .9: 900} {
		if got, ok := s.quantile(q); !ok || math.Abs(got-want) > want/100 {
			t.Errorf("quantile %v is %v, want %v to a hundredth", q, got, want)
		}
	}
	if got, _ := s.quantile(0); got != 0 {
		t.Errorf("the smallest is %v", got)
	}
	if got, _ := s.quantile(1); got < longestSpan {
		t.Errorf("the largest is %v", got)
	}
	s.reset()
	if _, ok := s.quantile(.5); ok {
		t.Error("a median after everything was forgotten")
	}
}
