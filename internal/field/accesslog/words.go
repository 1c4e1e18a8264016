package accesslog

import (
	"fmt"
	"time"

	"h2lab/internal/base/numfmt"
)

// figures formats a measured value with two significant digits.
func figures(v float64) string { return numfmt.Digits(v, 2) }

func percent(v float64) string {
	if v > 0 && v < 0.01 {
		return "under 1 %"
	}
	if v < 1 && v > 0.99 {
		return "over 99 %"
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

// lasting formats a duration in seconds for people.
func lasting(s float64) string {
	switch {
	case s < 1:
		return figures(s*1000) + " ms"
	case s < 120:
		return figures(s) + " s"
	case s < 2*3600:
		return figures(s/60) + " min"
	}
	return figures(s/3600) + " h"
}

func clockTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
