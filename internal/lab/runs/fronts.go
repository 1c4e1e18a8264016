package runs

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"h2lab/internal/facts"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// Fronts are the servers of h2lab up that clients call, on this machine, in the order of the topologies;
// none while they don't run. own is the limit of servers that hide theirs; name is given the low limit in force.
func (l *Lab) Fronts(own int, name func(t facts.Topology, low int) string) (out []live.Front) {
	site, err := native.Load(l.stateFile())
	if err != nil || site.Alive() != nil {
		return nil
	}
	running, low := map[string]live.Front{}, 0
	for _, s := range site.Servers() {
		limit := own
		if !native.Hides(s) {
			limit = limitIn(filepath.Join(l.Root, s.Config))
		}
		running[s.Name] = live.Front{Server: s, Limit: limit}
	}
	for _, t := range plan.Topologies(plan.DefaultLimit) {
		if n := running[t.Front().Name].Limit; t.Limit == plan.DefaultLimit && n > 0 && (low == 0 || n < low) {
			low = n
		}
	}
	for _, t := range plan.Topologies(cmp.Or(low, plan.DefaultLimit)) {
		if f, ok := running[t.Front().Name]; ok && f.Server.Kind != facts.Backend {
			f.Name = name(t, low)
			out = append(out, f)
		}
	}
	return out
}

// limitOf matches the setting of a limit on the requests of a connection, in nginx's words and in
// Envoy's, outside comments.
var limitOf = regexp.MustCompile(`(?m)^[^#\n]*\b(?:keepalive_requests|max_requests_per_connection:)\s+(\d+)`)

// limitIn is the smallest limit that a configuration sets, since the lab's files switch the limits of
// counters and upstreams off by a huge number; 0 is none.
func limitIn(file string) (least int) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for _, m := range limitOf.FindAllSubmatch(text, -1) {
		if n, err := strconv.Atoi(string(m[1])); err == nil && n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
