package advise

import (
	"strconv"

	"h2lab/internal/base/numfmt"
)

// number is a figure with three digits that mean something.
func number(v float64) string { return numfmt.Digits(v, 3) }

// typed is a value as one types it after a flag.
func typed(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
