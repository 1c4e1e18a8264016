package runs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// Fronts are the servers of h2lab up that clients call, on this machine, in the order of the topologies;
// none while they don't run.
func (l *Lab) Fronts() (out []live.Front) {
	site, err := native.Load(l.stateFile())
	if err != nil || site.Alive() != nil {
		return nil
	}
	running := site.Servers()
	for _, t := range plan.Topologies(plan.DefaultLimit) {
		front := t.Front()
		i := slices.IndexFunc(running, func(s facts.Server) bool { return s.Name == front.Name })
		if i < 0 || front.Kind == facts.Backend {
			continue
		}
		limit := limitIn(filepath.Join(l.Root, running[i].Config))
		name := t.Name
		if t.Limit == plan.DefaultLimit { // the name has the limit in force
			name = strings.Replace(name, strconv.Itoa(t.Limit), strconv.Itoa(limit), 1)
		}
		out = append(out, live.Front{Name: name, Server: running[i], Limit: limit})
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
