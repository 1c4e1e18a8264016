package accesslog

import (
	"strings"
	"testing"
	"time"
)

// Connections between two reloads last equally long, and no age ends them.
func TestTwoReloadsAreNoAge(t *testing.T) {
	for _, seed := range []uint64{16, 36, 44} {
		w := world{seed: seed, length: 50 * mins, reloads: []time.Duration{20*mins + 7*sec, 35*mins + 11*sec},
			crowds: []crowd{{n: 40, agent: goClient, every: 5 * sec, spread: 3}}}
		got := read(t, strings.NewReader(text(w.run(), written(`ADDR:PORT - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" 4 h2`))), direct)
		if got.Verdict.ID != Reloaded || len(got.Reloads) != 2 {
			t.Errorf("seed %d: %s, %+v, %+v", seed, got.Verdict.ID, got.Age, got.Reloads)
		}
	}
}

// Reloads at regular times are no age either, and connections that began together and end at an age are no reloads.
func TestRegularReloadsAreNoAge(t *testing.T) {
	for _, every := range []time.Duration{5 * sec, 500 * time.Millisecond} {
		crowds := []crowd{{n: 40, agent: goClient, every: every, spread: 3}}
		quarters := world{length: 90 * mins, reloads: []time.Duration{15 * mins, 30 * mins, 45 * mins, 60 * mins, 75 * mins}, crowds: crowds}
		if got := read(t, strings.NewReader(text(quarters.run(), asCombined)), direct); got.Verdict.ID != Reloaded {
			t.Errorf("%v, reloads: %s, %+v", every, got.Verdict.ID, got.Age)
		}
		aged := world{length: 90 * mins, age: 15 * mins, crowds: crowds}
		if got := read(t, strings.NewReader(text(aged.run(), asCombined)), direct); got.Verdict.ID != Aged {
			t.Errorf("%v, an age: %s, %+v", every, got.Verdict.ID, got.Reloads)
		}
	}
}

// Each server of several has reloads of its own, as in a rolling deployment.
func TestReloadsOfOneServerAfterTheOther(t *testing.T) {
	var worlds []world
	for i, host := range []string{"a", "b", "c"} {
		w := world{seed: uint64(i), length: 60 * mins, host: host, crowds: []crowd{{n: 14, agent: goClient + host, every: 2 * sec, spread: 4}}}
		for at := time.Duration(200+200*i) * sec; at < w.length; at += 10 * mins {
			w.reloads = append(w.reloads, at)
		}
		worlds = append(worlds, w)
	}
	lines := interleaved(worlds...)
	got := read(t, strings.NewReader(text(lines, func(r request) string { return "[pod/web-" + r.instance + "/nginx] " + asCombined(r) })), direct)
	if got.Verdict.ID != Reloaded || len(got.Reloads) < 12 {
		t.Errorf("%s, %+v, %+v", got.Verdict.ID, got.Age, got.Reloads)
	}
}
