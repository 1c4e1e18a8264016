package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Unknown is the text of an unknown value, which is never written as 0.
const Unknown = "–"

// Integer is the type of a count.
type Integer interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64
}

// Count writes a count with commas between thousands, exactly.
func Count[N Integer](n N) string {
	if n < 0 {
		return grouped(strconv.FormatInt(int64(n), 10))
	}
	return grouped(strconv.FormatUint(uint64(n), 10))
}

// Counted writes a count with its noun, in the singular or the plural.
func Counted[N Integer](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Things is Counted for a noun that adds an s.
func Things[N Integer](n N, noun string) string { return Counted(n, noun, noun+"s") }

// Plain is Things without commas, for limits and other numbers as a configuration file has them.
func Plain[N int | float64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%v %ss", n, noun)
}

// Whole rounds to a whole number, with commas.
func Whole(v float64) string { return fixed(v, 0) }

// Number writes a value in a sentence or on an axis: whole numbers exactly, others with three
// significant digits, and two below 1.
func Number(v float64) string {
	switch a := math.Abs(v); {
	case v == math.Trunc(v):
		return Whole(v)
	case a < 1:
		return Digits(v, 2)
	}
	return Measured(v)
}

// Measured writes a measured value in a column, with decimals by size: 1,234, 12.3, 1.23, 0.12. A
// value below 0.01 keeps two significant digits, since 0.00 would read as zero.
func Measured(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a >= 99.95:
		return Whole(v)
	case a >= 9.995:
		return fixed(v, 1)
	case a >= 0.01:
		return fixed(v, 2)
	}
	return Digits(v, 2)
}

// smallest is the value below which Digits writes an exponent.
const smallest = 1e-6

// Digits writes a value with n significant digits, without trailing zeros in the fraction. It never
// rounds digits before the point.
func Digits(v float64, n int) string {
	a := math.Abs(v)
	if a == 0 || unusable(v) {
		return fixed(v, 0)
	}
	if a < smallest {
		return strings.Replace(strconv.FormatFloat(v, 'g', n, 64), "-", "−", 1)
	}
	s := fixed(v, max(0, n-1-int(math.Floor(math.Log10(a)))))
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Decimals writes a value with that many decimals.
func Decimals(v float64, places int) string { return fixed(v, places) }

// Factor writes how many times as large, "74 ×" or "0.9 ×".
func Factor(v float64) string {
	if v >= 9.95 {
		return Whole(v) + " ×"
	}
	return fixed(v, 1) + " ×"
}

// Seconds writes a duration.
func Seconds(s float64) string { return Digits(s, 4) + " s" }

// Maybe writes a value that may be unknown.
func Maybe[T any](v *T, write func(T) string) string {
	if v == nil {
		return Unknown
	}
	return write(*v)
}

func unusable(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// fixed rounds half away from zero; NaN and infinities are unknown.
func fixed(v float64, places int) string {
	if unusable(v) {
		return Unknown
	}
	if places == 0 {
		v = math.Round(v)
	}
	s := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return grouped(s)
}

// grouped puts commas between the thousands of a decimal number, and replaces the hyphen with a
// minus sign.
func grouped(s string) string {
	s, negative := strings.CutPrefix(s, "-")
	end := strings.IndexByte(s, '.')
	if end < 0 {
		end = len(s)
	}
	for i := end - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if negative {
		return "−" + s
	}
	return s
}
