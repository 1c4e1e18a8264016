package statistics

import (
	"math"
	"slices"
)

// minForQuartiles is the fewest samples for quartiles: with three, an outlier itself determines a
// quartile.
const minForQuartiles = 4

// Outliers returns the indices of values more than 1.5 interquartile ranges outside the quartiles
// (Tukey, Exploratory Data Analysis, 1977). They are only marked: no summary drops them.
func Outliers(sample []float64) []int {
	out := []int{}
	sorted, _ := usable(sample)
	if len(sorted) < minForQuartiles {
		return out
	}
	slices.Sort(sorted)
	q1, q3 := quantile(sorted, 0.25), quantile(sorted, 0.75)
	reach := 1.5 * (q3 - q1)
	for i, v := range sample {
		if v < q1-reach || v > q3+reach {
			out = append(out, i)
		}
	}
	return out
}

// quantile interpolates between the neighbours of position q·(n−1), like R's type 7 and
// spreadsheets.
func quantile(sorted []float64, q float64) float64 {
	place := q * float64(len(sorted)-1)
	below := math.Floor(place)
	i := int(below)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (place-below)*(sorted[i+1]-sorted[i])
}
