package advise

import (
	"strconv"

	"h2lab/internal/base/text"
)

// number formats a value with three significant digits.
func number(v float64) string { return text.Digits(v, 3) }

// typed formats a value as a flag's argument.
func typed(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
