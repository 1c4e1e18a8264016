package translations

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// recording are the packages that write sentences into results.json; recordedRuns contain sentences
// of earlier versions.
var recording = []string{"../clientreport", "../../judge/statistics", "../../lab/load", "../../lab/conduct", "../../lab/native",
	"../../lab/compose", "../../lab/plan", "../../lab/runs", "../../field/probe", "../../judge/core", "../../judge/runverdicts"}

const recordedRuns = "../../../testdata/recorded/*/results.json"

// assembled are the forms that the lab assembles from words, and names of one word.
var assembled = map[Phrase]bool{
	"Proxies": true, "Others": true,
	"service %s, load generator %s, proxy %s, backend %s": true,
	"service %s, load generator %s, backend %s":           true,
}

// libraries are the forms of golang.org/x/perf/benchmath.
var libraries = map[Phrase]bool{
	"need %s %d samples for confidence interval at level %v":      true,
	"need %s %d samples to detect a difference at alpha level %v": true,
	"all samples are equal": true,
}

func TestRecordedFormsAreThoseTheLabWrites(t *testing.T) {
	var all strings.Builder
	for _, room := range recording {
		files, _ := filepath.Glob(filepath.Join(room, "*.go"))
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			read(t, &all, f)
		}
	}
	runs, _ := filepath.Glob(recordedRuns)
	manifests, _ := filepath.Glob("../../../services/*/client.json")
	if len(manifests) == 0 {
		t.Error("no manifest of services/")
	}
	for _, f := range append(runs, manifests...) {
		read(t, &all, f)
	}
	for p := range merged(recordedTables) {
		if !libraries[p] && !assembled[p] && !written(string(p), all.String()) {
			t.Errorf("nobody writes %q into a results.json", p)
		}
	}
}

// written reports whether consecutive words of a form occur in a source. A sentence may be
// assembled from pieces, so three words suffice.
func written(form, sources string) bool {
	const enough = 3
	for _, part := range formVerb.Split(form, -1) {
		words := strings.Fields(part)
		n := min(enough, len(words))
		for i := 0; n > 1 && i+n <= len(words); i++ {
			if strings.Contains(sources, strings.Join(words[i:i+n], " ")) {
				return true
			}
		}
	}
	return false
}

func read(t *testing.T, into *strings.Builder, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	labtest.Check(t, err)
	into.Write(b)
}

func TestRecordedSentences(t *testing.T) {
	for s, want := range map[string]string{
		"":                                      "",
		"counters still moved after the window": "测量窗口结束后计数器仍在变化",
		"the last answers came 1.2 s after the window of 5.0 s": "5.0 s 的窗口结束 1.2 s 之后，最后的响应才到达",
		"1999 = 2 × 1000 − 1: request 1000 was the last one taken. Streams above it were not and will not be " +
			"processed; they may be sent again, whatever " +
			"their method (RFC 9113 §6.8)": "1999 = 2 × 1000 − 1：请求 1000 是最后一个受理的请求。" +
			"编号更大的流没有处理，以后也不会处理；不论什么方法，都可以重发（RFC 9113 §6.8）",
		"Request 1000 brought GOAWAY(last_stream_id=1999, NO_ERROR) and was answered; " +
			"the server closed 0.4 ms after its last answer.": "请求 1000 触发 GOAWAY(last_stream_id=1999, " +
			"NO_ERROR)，该请求得到响应；服务器在最后一个响应之后 0.4 ms 关闭。",
		"CPUS=0.5 could not be set, the servers run unlimited: all samples are odd": "CPUS=0.5 无法设置，" +
			"服务器不受限制地运行：all samples are odd",
		"the 3 requests behind it (streams 2001, 2003, …, 2015) were dropped without a word": "其后的 3 个请求（流 " +
			"2001、2003、…、2015）被静默丢弃",
		"the moon was full; no samples": "（原文）the moon was full; no samples",
	} {
		if got := Chinese.RecordedOne(s); got != want {
			t.Errorf("%q is\n%q, want\n%q", s, got, want)
		}
		if got := English.RecordedOne(s); got != s {
			t.Errorf("in English %q became %q", s, got)
		}
	}
}
