package merge

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// test is a test of n runners as the scripts would log it, with the latencies of all requests.
type test struct {
	runners int
	vusEach int
	script  string
	knobs   map[string]any
	// logs are the runners' lines, samples the latencies in µs.
	logs    [][]map[string]any
	samples []int64
}

func newTest(runners, vusEach, requestsEach int) *test {
	x := &test{runners: runners, vusEach: vusEach, script: "shared-pool"}
	x.knobs = map[string]any{"target": "https://example.com", "topology": "Example.com:443", "protocol": "h2", "limit": 1000,
		"method": "POST", "bodyBytes": 1, "concurrency": 10 * runners * vusEach, "pools": runners * vusEach, "rate": 0, "arrivals": "constant",
		"burst": 1, "durationMS": 10000, "warmupMS": 1000, "thinkMS": 0, "delayMS": 0, "maxTLS": "1.3"}
	random := rand.New(rand.NewPCG(1, 2))
	for r := range runners {
		var lines []map[string]any
		for v := range vusEach {
			count := map[int64]int64{}
			for range requestsEach {
				us := 100 + random.Int64N(2000) + random.Int64N(50)*random.Int64N(50)*random.Int64N(100)
				if us >= 2048 { // the middle of one of k6/lib/tally.js's buckets
					us = us/512*512 + 256
				}
				count[us]++
				x.samples = append(x.samples, us)
			}
			var pairs [][2]int64
			var most int64
			for us, n := range count {
				pairs, most = append(pairs, [2]int64{us, n}), max(most, us)
			}
			began := 1_795_000_000_000.0 + float64(r)
			lines = append(lines, x.line(r, map[string]any{"vu": r + 1 + v*runners, "vus": vusEach, "began": began,
				"ended": began + 10_000, "tally": map[string]any{"attempts": requestsEach + 1, "succeeded": requestsEach,
					"failed": 1, "warmup_requests": 100, "client_reported": 1, "began_ms": 1000, "ended_ms": 11000,
					"max_ms": float64(most) / 1000, "tls": "tls1.3", "latency_us": pairs, "failures": []any{map[string]any{
						"message": `read: "connection reset by peer" 日`, "count": 1, "kind": "transport", "code": 1220}}}}))
		}
		x.logs = append(x.logs, append(lines, x.line(r, map[string]any{"end": true, "dropped": 0})))
	}
	return x
}

func (x *test) line(runner int, more map[string]any) map[string]any {
	bounds := []string{"0"}
	for i := 1; i < x.runners; i++ {
		bounds = append(bounds, fmt.Sprintf("%d/%d", i, x.runners)) // k6 prints lowest terms; any unique text will do
	}
	bounds = append(bounds, "1")
	l := map[string]any{"format": 1, "script": x.script, "segment": bounds[runner] + ":" + bounds[runner+1],
		"sequence": strings.Join(bounds, ","), "knobs": x.knobs}
	if x.runners == 1 {
		l["segment"], l["sequence"] = "", ""
	}
	maps.Copy(l, more)
	return l
}

// quoting is how a log format writes a message.
type quoting func(message string) string

var (
	raw    quoting = func(m string) string { return m }
	logfmt quoting = func(m string) string {
		return "time=\"2026-11-22T15:55:18Z\" level=info msg=" + strconv.Quote(m) + " source=console"
	}
	asJSON quoting = func(m string) string {
		b, _ := json.Marshal(map[string]string{"level": "info", "msg": m, "source": "console"})
		return string(b)
	}
	terminal quoting = func(m string) string { return "\x1b[36mINFO\x1b[0m[0001] " + m + "  \x1b[36msource\x1b[0m=console" }
	engine   quoting = func(m string) string { // Docker's json-file
		b, _ := json.Marshal(map[string]string{"log": logfmt(m) + "\n", "stream": "stderr"})
		return string(b)
	}
)

// write writes the logs, one file a runner, and returns their directory.
func (x *test) write(t *testing.T, q quoting) string {
	t.Helper()
	dir := t.TempDir()
	for i, lines := range x.logs {
		text := "some other line\n"
		for _, l := range lines {
			b, err := json.Marshal(l)
			labtest.Check(t, err)
			text += q(mark+string(b)) + "\n"
		}
		labtest.Write(t, filepath.Join(dir, fmt.Sprintf("runner-%03d.log", i+1)), text)
	}
	return dir
}
