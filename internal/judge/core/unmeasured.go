package core

import (
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// leftOut is how the lab begins the reason of a cell that a sweep left out.
const leftOut = "not measured: "

// Unmeasured is why a sweep left out a cell, in a language.
func Unmeasured(in translations.Language, c *facts.Cell) string {
	return in.RecordedOne(strings.TrimPrefix(c.Unsupported, leftOut))
}
