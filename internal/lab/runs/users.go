package runs

import (
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
)

// usersPrograms are the programs, besides k6, that generate the load of services, and those that call a
// topology themselves beside them.
func usersPrograms(t native.Tools) map[facts.Client][]string { return goPrograms(t) }
