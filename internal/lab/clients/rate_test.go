package clients

import (
	"slices"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestTheClientsThatTakeARate(t *testing.T) {
	all, err := Read("../../..", "clients")
	labtest.Check(t, err)
	takes, without := TakingRate(all)
	var names []string
	every := 0
	for _, e := range all {
		every += len(e.Clients)
	}
	for _, e := range takes {
		for _, c := range e.Clients {
			names = append(names, string(c.Name))
			if !e.Program(c).TakesRate {
				t.Errorf("%s takes a rate, and its program doesn't say so", c.Name)
			}
		}
	}
	for name, want := range map[string]bool{"go-once": true, "k6-shared-pool": true, "grpc-go": true,
		"k6-connection-per-vu": false, "okhttp-5": false, "hey": false} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s takes a rate: %t, want %t", name, !want, want)
		}
	}
	if len(names)+without != every {
		t.Errorf("%d and %d of %d clients", len(names), without, every)
	}
}
