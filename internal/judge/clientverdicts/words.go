package clientverdicts

import (
	"math"
	"strconv"
	"strings"
)

// count writes a whole number with commas.
func count[T int | int64](v T) string {
	s := strconv.FormatInt(int64(v), 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// things is a count with its noun.
func things[T int | int64](v T, noun string) string {
	if v == 1 {
		return "1 " + noun
	}
	return count(v) + " " + noun + "s"
}

// times writes a factor, "74 ×" or "0.9 ×".
func times(v float64) string {
	if v >= 10 {
		return count(int64(math.Round(v))) + " ×"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " ×"
}

// rate writes how many in a thousand.
func rate(n, of int64) string {
	if of == 0 {
		return "none of 0"
	}
	v := float64(n) / float64(of) * 1000
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 0.095:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// oneLine is a message that fits into a sentence: its first line, cut.
func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return string(r)
}

// value is a number or 0 where it isn't known; only for sums in which the
// unknown has no part.
func value(p *int64) int64 {
	if p == nil {
		return 0
	}
	return *p
}
