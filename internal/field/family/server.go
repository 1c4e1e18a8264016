package family

import "h2lab/internal/facts"

// server is a family of servers: one program and what is built on it.
type server struct {
	id    string
	short string // "nginx"
	// name is what to call something that behaves so.
	name string
	// headers are how its Server header begins, in lower case; products built on it too.
	headers  []string
	settings []shape
	clues    []clue
	// limits are numbers that are somebody's default, by protocol.
	limits []limit
	// idle is a default in seconds, and whose.
	idle []idleDefault
	// changes are what to write where an endpoint shows a limit, idleChange where
	// it shows a short idle time-out.
	changes    func(facts.Endpoint) []Change
	idleChange Change
	// quiet families write no Server header: the one that is seen is an application's.
	quiet bool
	// find is a command that shows the present setting.
	find string
	row  Row
}

// limit is a number of requests that nobody chose.
type limit struct {
	protocol facts.Protocol
	n        int
	says     string
}

type idleDefault struct {
	seconds float64
	says    string
}

// servers are all families, in the order of the page docs/servers.md.
func servers() []server {
	return []server{nginx(), golang(), envoy(), haproxy(), apache(), h2o(), nghttpx(), node()}
}

// Row is a family's line in the table of docs/servers.md.
type Row struct {
	Server, Limit, Ending, InFlight, Idle, Source string
}

// Table is the table of docs/servers.md.
func Table() []Row {
	var out []Row
	for _, s := range servers() {
		out = append(out, s.row)
	}
	return out
}
