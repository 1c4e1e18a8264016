package parts

import (
	"testing"

	"h2lab/internal/base/labtest"
)

func TestTextsOfBothLanguagesHoldTheSame(t *testing.T) { labtest.SameTexts(t) }
