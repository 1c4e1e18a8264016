package accesslog

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// whole writes a number with commas.
func whole[N uint32 | uint64 | int64 | int](v N) string {
	s := strconv.FormatInt(int64(v), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// things is a number with its noun.
func things[N uint32 | uint64 | int64 | int](v N, noun string) string {
	if v == 1 {
		return "1 " + noun
	}
	return whole(v) + " " + noun + "s"
}

// figures writes a measured value with two or three digits that mean something.
func figures(v float64) string {
	switch {
	case v >= 100:
		return whole(int64(v + 0.5))
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 1:
		return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

func percent(v float64) string {
	if v > 0 && v < 0.01 {
		return "under 1 %"
	}
	if v < 1 && v > 0.99 {
		return "over 99 %"
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

// lasting writes seconds as people say them.
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
