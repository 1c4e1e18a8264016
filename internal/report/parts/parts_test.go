package parts

import (
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestTextsOfBothLanguagesHoldTheSame(t *testing.T) { labtest.SameTexts(t) }

// A name or a description that is translated is that of a manifest or of a recorded run, with the same figures.
func TestTranslatedDescriptionsAreThoseOfManifests(t *testing.T) {
	var said strings.Builder
	for _, pattern := range []string{"clients/*/client.json", "services/*/client.json", "testdata/recorded/*/results.json"} {
		files, _ := filepath.Glob("../../../" + pattern)
		if len(files) == 0 {
			t.Errorf("nothing matches %s", pattern)
		}
		for _, file := range files {
			said.WriteString(labtest.Read(t, file))
		}
	}
	for english, chinese := range inChinese() {
		if quoted := strings.ReplaceAll(english, `"`, `\"`); !strings.Contains(said.String(), `"`+quoted+`"`) && english != "Others" {
			t.Errorf("no manifest says %q", english)
		}
		labtest.SameFigures(t, english, english, chinese)
	}
}
