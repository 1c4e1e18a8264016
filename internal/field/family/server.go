package family

import "h2lab/internal/facts"

// server is a family of servers: one program and the products based on it.
type server struct {
	id    string
	short string // "nginx"
	// name is the family's name in texts.
	name string
	// headers are the beginnings of its Server header in lower case, products based on it included.
	headers  []string
	settings []shape
	clues    []clue
	// limits are default request limits, by protocol.
	limits []limit
	// idle are default idle time-outs in seconds, with the setting that has them.
	idle []idleDefault
	// quiet families write no Server header: the observed header is an application's.
	quiet bool
	// find is a command that shows the present setting.
	find string
	row  Row
}

// limit is a default request limit.
type limit struct {
	protocol facts.Protocol
	n        int
	says     string
}

type idleDefault struct {
	seconds float64
	says    string
}

// servers are all families, in the order of docs/servers.md.
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
