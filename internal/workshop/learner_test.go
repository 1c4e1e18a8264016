package workshop

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/plan"
)

func TestEachSeedHasALimitThatThePagesFit(t *testing.T) {
	limits, streams := map[int]bool{}, map[int]bool{}
	for i := range 2000 {
		o := ownOf(fmt.Sprint("learner", i))
		limits[o.limit], streams[o.streams] = true, true
		// Chapter 1: 250 requests take three connections; nghttp sends 125, more than any limit.
		if connections := (250 + o.limit - 1) / o.limit; connections != 3 || o.limit >= 125 || o.limit == 100 {
			t.Fatalf("a limit of %d", o.limit)
		}
		if o.streams < 8 || o.streams > 14 || o.streams%2 != 0 {
			t.Fatalf("%d streams", o.streams)
		}
	}
	if len(limits) < 35 || len(streams) != 4 {
		t.Errorf("2000 seeds have %d limits and %d numbers of streams", len(limits), len(streams))
	}
}

func TestASeedIsKeptAndABadOneRefused(t *testing.T) {
	root := t.TempDir()
	before, err := OwnLimit(root)
	if again, _ := OwnLimit(root); err != nil || again != before {
		t.Errorf("without a seed: %d, then %d, %v", before, again, err)
	}
	labtest.Check(t, SetSeed(root, "anna"))
	if n, err := OwnLimit(root); err != nil || n != ownOf("anna").limit {
		t.Errorf("with a seed: %d, %v", n, err)
	}
	for _, bad := range []string{"", "a b", "a/b", "../x", strings.Repeat("x", 65), "a\nb", "é"} {
		if err := SetSeed(root, bad); err == nil {
			t.Errorf("%q is a seed", bad)
		}
	}
	labtest.Write(t, filepath.Join(root, seedFile), "a b\n")
	var missing *MissingError
	if _, err := OwnLimit(root); !errors.As(err, &missing) || !strings.Contains(err.Error(), "rm workshop/seed") {
		t.Errorf("a garbled seed: %v", err)
	}
}

func TestNamesOfFrontsDontShowTheLimit(t *testing.T) {
	for _, limit := range []int{leastLimit, 97, mostLimit} {
		for _, topology := range plan.Topologies(limit) {
			name, title := FrontName(topology)
			if n := fmt.Sprint(limit); strings.Contains(name+" "+title, n) || name == "" || title == "" {
				t.Errorf("%s is shown as %s, %s", topology.Name, name, title)
			}
		}
		d := &Desk{own: own{limit: limit}}
		for _, name := range []string{lowNginx, highNginx, lowEnvoy, direct} {
			if d.topology(name).Name == "" {
				t.Errorf("no topology for %s", name)
			}
		}
	}
}

func TestTheSolutionsAreThoseOfTheirSeed(t *testing.T) {
	dir := filepath.Join(labtest.Root(t), "docs/workshop/solutions")
	o := ownOf("anna")
	last := fmt.Sprint(2*o.limit - 1)
	for name, want := range map[string][]string{
		"01/answers.txt": {fmt.Sprint("nginx-low  = ", o.limit), fmt.Sprint("envoy-low  = ", o.limit, " or more")},
		"04/answers.txt": {"last_stream_id = " + last, fmt.Sprint("requests       = ", o.limit), "above " + last},
		"07/answers.txt": {"nginx-low.first_last_stream_id = " + last, fmt.Sprint("nginx-low.dropped              = ", o.streams/2)},
	} {
		text := labtest.Read(t, filepath.Join(dir, name))
		for _, line := range want {
			if !strings.Contains(text, line) || !strings.Contains(text, "seed anna") {
				t.Errorf("%s lacks %q, or its seed", name, line)
			}
		}
	}
}
