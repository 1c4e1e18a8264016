package family

import (
	"strings"

	"h2lab/internal/facts"
)

// endpoint and the names below keep the families' tables short.
type endpoint = facts.Endpoint

const h1, h2, closed = facts.H1, facts.H2, facts.EndedByClose

// server is a family of servers: one program and the products based on it.
type server struct {
	id    string
	short string // "nginx"
	// name is the family's name in texts.
	name string
	// headers are the product names in its Server header in lower case, products based on it included.
	headers  []string
	settings []shape
	clues    []clue
	// limits are default request limits, by protocol.
	limits []limit
	// idle are default idle time-outs in seconds, with the setting that has them.
	idle []idleDefault
	// fixedSettings families send no other SETTINGS frames than those listed.
	fixedSettings bool
	// grpc families are gRPC's servers.
	grpc bool
	// quiet families write no Server header: the observed header is an application's.
	quiet bool
	// find is a command that shows the present setting.
	find string
	row  row
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

// notMeasured stands in a row where nothing is known.
const notMeasured = "not measured"

// servers are all families, in the order of docs/servers.md.
func servers() []server {
	return []server{nginx(), golang(), envoy(), haproxy(), apache(), h2o(), nghttpx(), nghttpd(), lighttpd(), varnish(),
		trafficServer(), libwebsockets(), node(), grpcGo(), grpcJava(), grpcCore(), tomcat(), jetty(), undertow(), netty(), armeria(),
		pekko(), helidon(), httpCore(), grizzly(), hypercorn(), pythonH2(), hyper(), ntex(), fastHTTP()}
}

// announces reports whether the family ends connections with a GOAWAY.
func (s server) announces() bool { return strings.Contains(s.row.ending, "GOAWAY") }

// announcesIdle reports whether the family ends unused connections with a GOAWAY.
func (s server) announcesIdle() bool {
	return strings.Contains(s.row.idle, "GOAWAY") && !strings.Contains(s.row.idle, "without a GOAWAY")
}

// row is a family's line in the table of docs/servers.md.
type row struct {
	server, limit, ending, inFlight, idle, source string
}
