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
