package runs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

func TestTheLimitOfAConfiguration(t *testing.T) {
	root := labtest.Root(t)
	for file, want := range map[string]int{
		"nginx/keepalive-1000.conf":    1000,
		"nginx/keepalive-100000.conf":  100000,
		"envoy/max-requests-1000.yaml": 1000,
		"envoy/unlimited-envoy.yaml":   0,
		"nginx/no-such.conf":           0,
	} {
		if got := limitIn(filepath.Join(root, file)); got != want {
			t.Errorf("%s: %d, want %d", file, got, want)
		}
	}
}

// The configurations of up FOR=learner are removed, so the caller knows the limit.
func TestTheLimitOfFrontsThatHideItIsTheCallers(t *testing.T) {
	root := t.TempDir()
	started, err := proc.StartTime(os.Getpid())
	if err != nil {
		t.Skip("the servers of up run on Linux: ", err)
	}
	var servers []any
	for _, s := range plan.Servers(plan.Topologies(plan.DefaultLimit)) {
		if native.CarriesLimit(s, 97) {
			s.Config = "var/nginx/keepalive-own.conf"
		}
		servers = append(servers, map[string]any{"server": s, "pid": os.Getpid(), "started": started})
	}
	text, err := json.Marshal(map[string]any{"version": 1, "boot": proc.BootID(), "root": root, "servers": servers})
	labtest.Check(t, err)
	labtest.Check(t, os.MkdirAll(filepath.Join(root, "var"), 0o755))
	labtest.Write(t, filepath.Join(root, native.StateFile), string(text))
	for _, own := range []int{97, 0} {
		fronts := (&Lab{Root: root}).Fronts(own, func(t facts.Topology, low int) string { return fmt.Sprint(t.Name, " of ", low) })
		low := 0
		for _, f := range fronts {
			if native.Hides(f.Server) {
				low++
				if f.Limit != own {
					t.Errorf("%s has the limit %d, want %d", f.Name, f.Limit, own)
				}
			}
		}
		want := map[int]string{97: "nginx-97 of 97", 0: "nginx-1000 of 0"}[own]
		if low != 4 || len(fronts) < 6 || fronts[0].Name != want {
			t.Errorf("own %d: %d of %d hide their limit, the first is %s", own, low, len(fronts), fronts[0].Name)
		}
	}
}
