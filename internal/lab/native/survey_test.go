//go:build linux

package native

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func TestTakenNamesEveryTakenPortAndNoOther(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	defer l.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	free.Close()
	s := facts.Server{Name: "nginx-1000", Front: free.Addr().String(), Counters: l.Addr().String()}
	taken := Taken(t.TempDir(), []facts.Server{s})
	if len(taken) != 1 || !strings.Contains(taken[0].Error(), l.Addr().String()) {
		t.Errorf("taken %v, want %s alone", taken, l.Addr())
	}
}

func TestUnderiveRemovesWhatDeriveMadeAndNothingElse(t *testing.T) {
	root := t.TempDir()
	for _, f := range []string{"var/nginx/keepalive-100.conf", "var/envoy/max-requests-100.yaml", "var/up.json",
		"nginx/keepalive-1000.conf"} {
		path := filepath.Join(root, f)
		labtest.Write(t, path, "")
	}
	labtest.Check(t, Underive(root))
	for f, want := range map[string]bool{"var/nginx": false, "var/envoy": false, "var/up.json": true,
		"nginx/keepalive-1000.conf": true} {
		if _, err := os.Stat(filepath.Join(root, f)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", f, err == nil, want)
		}
	}
}

func TestBudgetSupportSaysWhetherABudgetCanBeSetAndLeavesNothing(t *testing.T) {
	said := BudgetSupport()
	if !strings.HasPrefix(said, "can be set") && !strings.Contains(said, "servers run unlimited") {
		t.Errorf("it says %q", said)
	}
	own := groupPrefix + strconv.Itoa(os.Getpid())
	for _, pattern := range []string{"*", ""} {
		if left, _ := filepath.Glob(filepath.Join(cgroupMount, pattern, own)); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}
