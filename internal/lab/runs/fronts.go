package runs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"h2lab/internal/facts"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/native"
)

// Fronts are the servers of h2lab up that clients call, on this machine; none while they don't run.
func (l *Lab) Fronts() (out []live.Front) {
	site, err := native.Load(l.stateFile())
	if err != nil || site.Alive() != nil {
		return nil
	}
	for _, s := range site.Servers() {
		if slices.Contains([]facts.Kind{facts.Nginx, facts.Envoy}, s.Kind) {
			out = append(out, live.Front{Server: s, Limit: limitIn(filepath.Join(l.Root, s.Config))})
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
