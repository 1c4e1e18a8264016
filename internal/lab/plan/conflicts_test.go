package plan

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestKnobsThatContradictEachOtherAreRefused(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Knobs)
	for _, c := range []struct {
		name  string
		given Given
		says  string
	}{
		{"QUICK with TRIALS", Given{"QUICK": "1", "TRIALS": "6"},
			"QUICK=1 and TRIALS=6 contradict each other: a quick run has one trial of 3 s; leave one of them out"},
		{"QUICK with DURATION", Given{"QUICK": "true", "DURATION": "5s"}, "QUICK=true and DURATION=5s contradict"},
		{"a GET request with a body", Given{"METHOD": "GET", "BODY": "1"}, "METHOD=GET and BODY=1 contradict"},
		{"a speed where nothing is played", Given{"SERVE": "false", "SPEED": "2"},
			"SERVE=false and SPEED=2 contradict"},
		{"rounds where nothing is played", Given{"SERVE": "0", "ROUNDS": "2"}, "SERVE=0 and ROUNDS=2 contradict"},
	} {
		f.Try(c.name, func(t *testing.T) {
			if err := c.given.Conflict(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func TestKnobsThatGoTogetherAreTaken(t *testing.T) {
	for _, g := range []Given{nil, {"QUICK": "0", "TRIALS": "2"}, {"QUICK": "1", "LIMIT": "100"},
		{"METHOD": "GET", "BODY": "0"},
		{"METHOD": "PUT", "BODY": "9"}, {"SERVE": "true", "SPEED": "2"}, {"TRIALS": "6", "DURATION": "5s"}} {
		if err := g.Conflict(); err != nil {
			t.Errorf("%v: %v", g, err)
		}
	}
}

func TestEveryWordOfAFilterChoosesACell(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Knobs)
	for _, c := range []struct {
		name, command string
		set           func(*Knobs)
		says          string
	}{
		{"a second topology that the command doesn't measure", Repro,
			func(k *Knobs) {
				k.Topologies = []string{"nginx-1000", "envoy"}
			}, "TOPOLOGY=nginx-1000,envoy: no cell has envoy; leave it out"},
		{"a second client that the command doesn't run", Repro,
			func(k *Knobs) {
				k.Clients = []string{"go-once", "go-single-dial"}
			}, "CLIENT=go-once,go-single-dial: no cell has go-single-dial"},
		{"a topology that the other filters exclude", Repro,
			func(k *Knobs) {
				k.Topologies, k.Clients = []string{"direct", "nginx-1000"}, []string{"go-once"}
			}, "no cell has direct"},
		{"a protocol that the client doesn't have in this command", Fixed,
			func(k *Knobs) { k.Protocols, k.Clients = []string{"h1"}, []string{"go-single-dial"} },
			"no cell of fixed matches PROTOCOL=h1 CLIENT=go-single-dial; leave one of them out, or use matrix"},
		{"a client that the command doesn't have", Repro, func(k *Knobs) { k.Clients = []string{"go-replayable"} },
			"no cell of repro matches CLIENT=go-replayable; leave it out, or use matrix"},
		{"the topology of another limit", Repro,
			func(k *Knobs) {
				k.Limit, k.Topologies = 100, []string{"nginx-100", "envoy-100"}
			}, "no cell has envoy-100"},
	} {
		f.Try(c.name, func(t *testing.T) {
			k := Usual()
			c.set(&k)
			if cells, err := Cells(c.command, k); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%d cells, error %v, want %q", len(cells), err, c.says)
			}
		})
	}
}
