//go:build linux

package native

import (
	"slices"
	"strings"
	"testing"
)

func TestServersThatRunAlreadyAreFoundByTheirPortsAndLeftRunning(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	site := mustUp(t, opts, servers)
	adopted, err := Adopt(t.Context(), Options{Root: root, AdoptedCPUs: map[string]float64{"nginx-1000": 0.5}}, servers)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range servers {
		if got, want := adopted.Pids(s.Name), site.Pids(s.Name); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s has pids %v, want %v", s.Name, got, want)
		}
	}
	if cpus := adopted.CPUs("nginx-1000"); cpus == nil || *cpus != 0.5 {
		t.Errorf("the budget that was given is %v, want 0.5", cpus)
	}
	if cpus := adopted.CPUs("backend"); cpus != nil {
		t.Errorf("the backend's budget is %v, want none", *cpus)
	}
	if err := adopted.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := site.Alive(); err != nil {
		t.Errorf("down of what was adopted stopped it: %v", err)
	}
	die(t, servers[0].Counters)
	eventually(t, "the death of an adopted server is noticed", func() bool { return adopted.Alive() != nil })
	if err := adopted.Alive(); !strings.Contains(err.Error(), "nginx-1000") {
		t.Errorf("error %q doesn't name nginx-1000", err)
	}
}

func TestAServerThatIsNotThereCannotBeAdopted(t *testing.T) {
	root := newRoot(t)
	servers, _ := topology(t, root, "")
	_, err := Adopt(t.Context(), Options{Root: root}, servers)
	if err == nil || !strings.Contains(err.Error(), "backend") || !strings.Contains(err.Error(), servers[1].Front) {
		t.Errorf("error %v, want one that names the backend and its address", err)
	}
}
