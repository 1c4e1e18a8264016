package rundir

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

func TestASweepIsDrawnInBothLanguagesFromItsResultsAlone(t *testing.T) {
	dir := t.TempDir()
	r := &facts.Result{SchemaVersion: facts.SchemaVersion, Run: facts.Run{ID: "20261122T100000Z-sweep", Command: "sweep",
		Runtime: "native", Limit: 1000, Trials: 1, Started: time.Now(), Concurrency: 100, Key: "rsa", WarmupS: 1, DurationS: 3}}
	for _, topology := range []string{"direct", "nginx-1000"} {
		r.Cells = append(r.Cells, facts.Cell{Topology: topology, Protocol: facts.H1, Client: "webclient-h1",
			Users: facts.K6ConnectionPerVU, Point: "800-users", Workload: facts.Workload{Method: "POST", DelayMS: 100,
				Concurrency: 800, Pools: 1, DurationS: 3, WarmupS: 1, MaxTLS: "1.2"},
			Trials: []facts.Trial{{Index: 1, Order: 1, Started: time.Now(), ElapsedS: 3, Attempts: 10, Succeeded: 10, GoodputRPS: 3}}})
	}
	labtest.Check(t, results.Write(dir, r))
	run, err := Draw(dir)
	if err != nil || run.Page(texts.English) != SweepPage {
		t.Fatal(run.Page(texts.English), err)
	}
	b := pageHas(t, dir, map[string]string{"sweep.md": "# Callers under load", "sweep.zh.md": "# 负载下的调用方",
		"sweep.html": "data-raw=\"results.json#/cells/0/trials/*/goodput_rps\"", "sweep.zh.html": "lang=\"zh-CN\"",
		"charts/callers-light.svg": "without a proxy", "charts/callers.zh-light.svg": "没有代理"})
	var j facts.Judgement
	if err := json.Unmarshal(b, &j); err != nil || len(j.Verdicts) < 6 || len(j.Cells) != 2 {
		t.Errorf("%d verdicts on %d cells: %v", len(j.Verdicts), len(j.Cells), err)
	}
}

func TestAMapIsDrawnInBothLanguagesFromItsResultsAlone(t *testing.T) {
	dir := t.TempDir()
	labtest.Check(t, results.Write(dir, labtest.Matters(2, labtest.MattersMap()...)))
	run, err := Draw(dir)
	if err != nil || run.Page(texts.Chinese) != "sweep.zh.md" {
		t.Fatal(run.Page(texts.Chinese), err)
	}
	if text := run.Short("there", texts.English, false); !strings.HasPrefix(text, "With Go's pool, limit 1,000 ") ||
		!strings.Contains(text, "report: there") {
		t.Error(text)
	}
	pageHas(t, dir, map[string]string{"sweep.md": "# When a limit on requests per connection matters",
		"sweep.zh.md": "# 单连接请求数上限", "sweep.html": "data-raw=\"results.json#/cells/1/trials/*/goodput_rps\"",
		"sweep.zh.html": "lang=\"zh-CN\"", "charts/lost-goodput-light.svg": "<svg"})
}

// pageHas checks what the files of a run's directory have, and that its verdicts, which it returns, are valid.
func pageHas(t *testing.T, dir string, wants map[string]string) []byte {
	t.Helper()
	for file, want := range wants {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(b), want) {
			t.Errorf("%s lacks %q", file, want)
		}
	}
	b, err := results.ReadFile(dir, results.VerdictsFile)
	labtest.Check(t, err)
	if err := results.Validate(results.VerdictsSchema, b); err != nil {
		t.Error(err)
	}
	return b
}

func TestTheChartsOfRecordedRunsSayTheSameInBothLanguages(t *testing.T) {
	charts, _ := filepath.Glob("../../../testdata/recorded/*/charts")
	if len(charts) < 7 {
		t.Fatalf("recorded runs with charts: %q", charts)
	}
	for _, dir := range charts {
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
		labtest.SameCharts(t, dir, english, chinese)
	}
}
