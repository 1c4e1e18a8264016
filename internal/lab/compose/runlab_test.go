package compose_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"h2lab/internal/lab/compose"
)

func TestRunLabPassesOutputAndExitStatusThrough(t *testing.T) {
	calls := fakeDocker(t, well+`"rm --force"*) ;;
*" run "*) echo result; echo words >&2; exit 4;;`)
	var stdout, stderr bytes.Buffer
	p := &compose.Project{Root: project(t, versions)}
	status, err := p.RunLab(context.Background(), compose.LabRun{Args: []string{"repro", "--limit", "100"},
		Env: map[string]string{"NO_COLOR": "1"}, Stdout: &stdout, Stderr: &stderr})
	if err != nil || status != 4 || stdout.String() != "result\n" || stderr.String() != "words\n" {
		t.Fatalf("RunLab() = %d, %v; stdout %q, stderr %q", status, err, &stdout, &stderr)
	}
	if !anyCall(calls(), "run --rm --no-deps", "--no-TTY", "--env NO_COLOR=1 lab repro --limit 100") {
		t.Errorf("docker was called with %q", calls())
	}
}

// The fake's `run` ends when its `stop` was called, as a container does.
func TestRunLabThatIsCancelledStopsAndRemovesItsContainer(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "stopped")
	t.Setenv("FAKE_STOPPED", pipe)
	calls := fakeDocker(t, well+`"rm --force"*) ;;
stop*) : >"$FAKE_STOPPED";;
*" run "*) : >"$FAKE_STOPPED.running"; while [ ! -e "$FAKE_STOPPED" ]; do sleep 0.02; done; exit 130;;`)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer cancel()
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
			if _, err := os.Stat(pipe + ".running"); err == nil {
				return
			}
		}
	}()
	var out bytes.Buffer
	status, err := (&compose.Project{Root: project(t, versions)}).RunLab(ctx, compose.LabRun{
		Args:   []string{"repro"},
		Stdout: &out,
		Stderr: &out,
	})
	if !errors.Is(err, context.Canceled) || status != 130 {
		t.Fatalf("RunLab() = %d, %v, want 130 and context.Canceled", status, err)
	}
	got := calls()
	if !anyCall(got, "stop --time", "h2lab-lab-run") || got[len(got)-1] != "rm --force h2lab-lab-run" {
		t.Errorf("docker was called with %q", got)
	}
}
