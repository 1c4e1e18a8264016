package chart

import (
	"math"
	"sort"
)

// Points are a line's points in order.
type Points struct{ X, Y []float64 }

// Rate turns a cumulative counter, read at the times tMS, into its rate per second in bins of equal
// width from the first reading to the last. It assumes that the counter rises evenly between two
// readings, so that a late reading doesn't look like a burst. X is the beginning of each bin in
// seconds; a last point repeats the last rate at the end.
func Rate(tMS []float64, counter []int64, binMS float64) Points {
	n := min(len(tMS), len(counter))
	if n < 2 || binMS <= 0 || tMS[n-1] <= tMS[0] {
		return Points{}
	}
	at := func(t float64) float64 {
		i := sort.SearchFloat64s(tMS[:n], t)
		if i == 0 {
			return float64(counter[0])
		}
		if i >= n {
			return float64(counter[n-1])
		}
		span := tMS[i] - tMS[i-1]
		if span <= 0 {
			return float64(counter[i])
		}
		return float64(counter[i-1]) + float64(counter[i]-counter[i-1])*(t-tMS[i-1])/span
	}
	var p Points
	// Bins are counted from 0, when the window opened, not from the first reading.
	b := math.Ceil(tMS[0] / binMS)
	for ; (b+1)*binMS <= tMS[n-1]; b++ {
		p.X = append(p.X, b*binMS/1000)
		p.Y = append(p.Y, (at((b+1)*binMS)-at(b*binMS))/(binMS/1000))
	}
	if k := len(p.X); k > 0 {
		p.X = append(p.X, b*binMS/1000)
		p.Y = append(p.Y, p.Y[k-1])
	}
	return p
}

// Bin returns a bin width for some readings: the smallest round one that covers a typical interval
// between them, but at least 20 ms.
func Bin(tMS []float64) float64 {
	var gaps []float64
	for i := 1; i < len(tMS); i++ {
		gaps = append(gaps, tMS[i]-tMS[i-1])
	}
	if len(gaps) == 0 {
		return 100
	}
	sort.Float64s(gaps)
	typical := gaps[len(gaps)/2]
	for _, w := range []float64{20, 25, 50, 100, 200, 500, 1000} {
		if w >= typical*0.98 {
			return w
		}
	}
	return math.Ceil(typical/1000) * 1000
}
