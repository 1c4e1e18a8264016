//go:build linux

package workshop

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// found returns the files below a directory in which another process finds a text. It doesn't read pipes.
func found(t *testing.T, dir, text string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Type()&fs.ModeNamedPipe != 0 {
			return err
		}
		said, err := exec.Command("cat", path).Output()
		if strings.Contains(string(said), text) {
			out = append(out, path)
		}
		return err
	})
	labtest.Check(t, err)
	return out
}

func TestALearnerCantReadNginxConfigurationAndNginxCan(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nginx.conf")
	s, err := hide(facts.Nginx, path, "keepalive_requests 137;")
	labtest.Check(t, err)
	if names := found(t, dir, "137"); names != nil {
		t.Errorf("%q can be read", names)
	}
	server := exec.Command("cat", path)
	server.Stdin = s.stdin
	if read, err := server.Output(); err != nil || string(read) != "keepalive_requests 137;" {
		t.Errorf("the server reads %q, %v", read, err)
	}
	kept, err := os.Open("/proc/self/fd/" + strconv.Itoa(int(s.stdin.Fd()))) // as nginx keeps its standard input
	labtest.Check(t, err)
	defer kept.Close()
	labtest.Check(t, s.forget())
	if left, err := io.ReadAll(kept); err != nil || len(left) > 0 {
		t.Errorf("the server's standard input still has %q, %v", left, err)
	}
	if names, _ := os.ReadDir(dir); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
	if err := s.forget(); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestEnvoysConfigurationIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "envoy.yaml")
	for _, reads := range []bool{true, false} {
		s, err := hide(facts.Envoy, path, "max_requests_per_connection: 137")
		labtest.Check(t, err)
		if names := found(t, dir, "137"); names != nil {
			t.Errorf("%q can be read", names)
		}
		if reads {
			if read, err := os.ReadFile(path); err != nil || string(read) != "max_requests_per_connection: 137" {
				t.Errorf("the server reads %q, %v", read, err)
			}
		}
		forgotten := make(chan error, 1)
		go func() { forgotten <- s.forget() }()
		select {
		case err := <-forgotten:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("a configuration that was read (%v) isn't forgotten", reads)
		}
		if names, _ := os.ReadDir(dir); len(names) > 0 {
			t.Errorf("left: %v", names)
		}
		if err := s.forget(); err != nil {
			t.Errorf("a second time: %v", err)
		}
	}
}
