package runs

import (
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
)

// usersPrograms are the programs, besides k6, that generate the load of services, and those that call a
// topology themselves beside them.
func usersPrograms(t native.Tools) map[facts.Client][]string {
	out := goPrograms(t)
	for _, c := range []facts.Client{facts.GoUsers, facts.GoBurst} {
		out[c] = []string{t.GoClient, "--variant", string(c)}
	}
	out[facts.Ab] = []string{t.Ab}
	return out
}
