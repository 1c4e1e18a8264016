package rundir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/results"
)

func TestTheChartsOfRecordedRunsSayTheSameInBothLanguages(t *testing.T) {
	charts, _ := filepath.Glob("../../../testdata/recorded/*/charts")
	if len(charts) < 7 {
		t.Fatalf("recorded runs with charts: %q", charts)
	}
	for _, dir := range charts {
		r, err := results.Read(filepath.Dir(dir))
		if err != nil {
			t.Fatal(err)
		}
		english, chinese := map[string][]byte{}, map[string][]byte{}
		files, _ := filepath.Glob(filepath.Join(dir, "*.svg"))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			of := english
			if strings.Contains(file, ".zh-") {
				of = chinese
			}
			of["charts/"+filepath.Base(file)] = b
		}
		if len(english) == 0 {
			t.Errorf("%s is empty", dir)
		}
		labtest.SameCharts(t, dir, r, english, chinese)
	}
}
