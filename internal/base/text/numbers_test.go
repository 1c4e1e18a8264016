package text

import (
	"math"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345",
		1234567: "1,234,567",
		-5:      "−5", -1000: "−1,000", math.MaxInt64: "9,223,372,036,854,775,807",
		math.MinInt64: "−9,223,372,036,854,775,808"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := Count(uint64(math.MaxUint64)); got != "18,446,744,073,709,551,615" {
		t.Error(got)
	}
	if got := Things(1, "request") + Things(1000, "request") + Counted(0, "entry",
		"entries"); got != "1 request1,000 requests0 entries" {
		t.Error(got)
	}
	if got := Plain(1, "core") + Plain(0.5, "core") + Plain(1000, "request"); got != "1 core0.5 cores1000 requests" {
		t.Error(got)
	}
}

func TestNumbers(t *testing.T) {
	inf, tiny := math.Inf(1), 1e-9
	for _, c := range []struct {
		v                                      float64
		whole, number, measured, three, factor string
	}{
		{0, "0", "0", "0", "0", "0.0 ×"},
		{math.Copysign(0, -1), "0", "0", "0", "0", "0.0 ×"},
		{1, "1", "1", "1.00", "1", "1.0 ×"},
		{-0.4, "0", "−0.4", "−0.40", "−0.4", "−0.4 ×"},
		{0.004, "0", "0.004", "0.004", "0.004", "0.0 ×"},
		{0.0123, "0", "0.012", "0.01", "0.0123", "0.0 ×"},
		{0.5, "1", "0.5", "0.50", "0.5", "0.5 ×"},
		{1.5, "2", "1.50", "1.50", "1.5", "1.5 ×"},
		{2.5, "3", "2.50", "2.50", "2.5", "2.5 ×"},
		{9.996, "10", "10.0", "10.0", "10", "10 ×"},
		{12.34, "12", "12.3", "12.3", "12.3", "12 ×"},
		{99.96, "100", "100", "100", "100", "100 ×"},
		{999.5, "1,000", "1,000", "1,000", "1,000", "1,000 ×"},
		{1234.5, "1,235", "1,235", "1,235", "1,235", "1,235 ×"},
		{-1234.4, "−1,234", "−1,234", "−1,234", "−1,234", "−1,234.4 ×"},
		{1e6, "1,000,000", "1,000,000", "1,000,000", "1,000,000", "1,000,000 ×"},
		{tiny, "0", "1e−09", "1e−09", "1e−09", "0.0 ×"},
		{inf, "–", "–", "–", "–", "– ×"},
		{math.NaN(), "–", "–", "–", "–", "– ×"},
	} {
		for what, pair := range map[string][2]string{
			"Whole": {Whole(c.v), c.whole}, "Number": {Number(c.v), c.number}, "Measured": {Measured(c.v), c.measured},
			"Digits 3": {Digits(c.v, 3), c.three}, "Factor": {Factor(c.v), c.factor},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s(%v) = %s, want %s", what, c.v, pair[0], pair[1])
			}
		}
	}
}

func TestTheUnknownIsADash(t *testing.T) {
	v := 1.0
	if got := Maybe(nil, Whole) + Maybe(&v, Whole) + Decimals(math.NaN(), 2); got != "–1–" {
		t.Error(got)
	}
}
