// Package nginx_test compares nginx's configurations with each other and with the servers that
// internal/lab/plan makes of them. With the tag integration, the real nginx loads them.
package nginx_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// topologies are all that have an nginx as their front.
func topologies(t *testing.T) []facts.Topology {
	t.Helper()
	all := slices.Concat(plan.Topologies(plan.DefaultLimit), plan.LowerTopologies(plan.DefaultLimit), plan.StoryTopologies(plan.DefaultLimit))
	servers := plan.EveryServer()
	i := slices.IndexFunc(servers, func(s facts.Server) bool { return s.Name == "nginx-10000" }) // only SWEEP=matters has it
	if i < 0 {
		t.Fatal("no server nginx-10000")
	}
	return append(all, facts.Topology{Limit: 10000, Servers: []facts.Server{servers[i], all[0].Front()}})
}

// Cells are compared with each other, so that nothing else may differ between their files: the template is the lesson.
func TestTheFilesDifferOnlyInLimitsUpstreamsNamesAndPorts(t *testing.T) {
	labtest.Variants(t, "*.conf", facts.Nginx, topologies(t))
}

// A file that LIMIT can't change would measure 1000 under another name.
func TestLimitChangesOneLineOfEveryServerWithTheLowLimit(t *testing.T) {
	root := t.TempDir()
	labtest.Check(t, os.CopyFS(filepath.Join(root, "nginx"), os.DirFS(".")))
	derived := 0
	for _, topology := range topologies(t) {
		s := topology.Front()
		if s.Kind != facts.Nginx || topology.Limit != plan.DefaultLimit {
			continue
		}
		got, err := native.Derive(root, s, 70, false)
		labtest.Check(t, err)
		text := labtest.Read(t, filepath.Join(root, got.Config))
		want := strings.Replace(labtest.Read(t, filepath.Base(s.Config)), "keepalive_requests 1000; # the limit",
			"keepalive_requests 70; # the limit", 1)
		if text != want || strings.Contains(got.Config, "1000") {
			t.Errorf("%s: derived as %s:\n%s", s.Name, got.Config, cmp.Diff(want, text))
		}
		derived++
	}
	if derived < 4 {
		t.Errorf("only %d servers carry the low limit", derived)
	}
}
