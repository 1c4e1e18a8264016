//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/results"
)

// Four containers, each with its execution segment, log one test. Requests that take two seconds fix its
// counts: 32 loops send one in the warm-up and two in a window of three seconds.
func TestFourContainersAreOneTest(t *testing.T) {
	clean(t)
	var log bytes.Buffer
	p := &compose.Project{Root: root(t), Variables: compose.Variables(nil, nil), Log: &log}
	if err := p.Up(context.Background(), "nginx-1000"); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	logs := t.TempDir()
	bounds := []string{"0", "1/4", "1/2", "3/4", "1"}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			cmd := exec.Command("docker", "compose", "run", "--rm", "--no-deps", "-T", "--entrypoint", "/usr/bin/k6",
				"-e", "SSL_CERT_FILE=/lab/certs/out/ca.crt", "-e", "TALLY=log", "-e", "TARGET=https://127.0.0.1:18101/echo?ms=2000",
				"-e", "WARMUP=500ms", "-e", "DURATION=3s", "-e", "CONCURRENCY=32", "-e", "POOLS=4", "-e", "LIMIT=1000",
				"lab", "run", "--quiet", "--no-usage-report", "--address", "", "--execution-segment", bounds[i]+":"+bounds[i+1],
				"--execution-segment-sequence", strings.Join(bounds, ","), "/usr/local/share/k6/shared-pool.js")
			cmd.Dir = root(t)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("runner %d: %v\n%s", i+1, err, out)
			}
			if err := os.WriteFile(filepath.Join(logs, fmt.Sprintf("runner-%d.log", i+1)), out, 0o600); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	out := filepath.Join(t.TempDir(), "merged")
	if status := run(t, filepath.Join(root(t), "bin/h2lab"), "merge", "--out", out, logs); status != 0 {
		t.Fatalf("h2lab merge: exit status %d", status)
	}
	r, err := results.Read(out)
	labtest.Check(t, err)
	x := r.Cells[0].Trials[0]
	if x.Attempts != 64 || x.Succeeded != 64 || *x.ColdStart.Requests != 32 || r.Run.Interrupted {
		t.Errorf("the four counted %d attempts, %d successes, %d requests in the warm-up", x.Attempts, x.Succeeded,
			*x.ColdStart.Requests)
	}
}
