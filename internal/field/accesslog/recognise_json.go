package accesslog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/field/cure"
)

// jsonServers are keys that only one server's logs have: Envoy's documented operators as names, Traefik's
// fields (doc.traefik.io, access logs), ingress-nginx's variables.
var jsonServers = map[string]string{
	"responseflags": cure.Envoy, "upstreamcluster": cure.Envoy, "connectionterminationdetails": cure.Envoy,
	"responsecodedetails": cure.Envoy, "upstreamhost": cure.Envoy, "commonproperties": cure.Envoy,
	"routername": cure.Traefik, "downstreamstatus": cure.Traefik, "entrypointname": cure.Traefik,
	"startutc":          cure.Traefik,
	"proxyupstreamname": cure.IngressNginx, "ingressname": cure.IngressNginx,
}

// nginxKeys are variables of nginx that nothing else has as keys.
var nginxKeys = map[string]bool{"timeiso8601": true, "timelocal": true, "bodybytessent": true, "requesttime": true,
	"httpuseragent": true, "upstreamaddr": true, "upstreamresponsetime": true, "msec": true, "serverprotocol": true}

// caddyKeys are those of the object "request" in Caddy's access logs. Versions before 2.5 have remote_addr.
var caddyKeys = map[string]bool{"remote_ip": true, "remote_addr": true, "uri": true, "proto": true}

// jsonLogs are the names of the formats, by server.
var jsonLogs = map[string]string{cure.Unknown: "JSON", cure.Nginx: "JSON", cure.Envoy: "Envoy's JSON",
	cure.Traefik: "Traefik's JSON", cure.Caddy: "Caddy's JSON", cure.IngressNginx: "ingress-nginx's JSON"}

// recogniseJSON finds out which keys the first objects have, at whatever depth, and what their values are.
func recogniseJSON(lines [][]byte, keys map[string]string) (chosen, error) {
	j := newJSONReader(keys)
	c := chosen{reader: j, server: cure.Unknown}
	cols := leaves(lines)
	first := ""
	for i := range cols {
		name := jsonName(cols[i].path[0])
		if s, known := jsonServers[name]; known {
			c.server = s
		} else if nginxKeys[name] && c.server == cure.Unknown {
			c.server = cure.Nginx
		} else if name == "request" && len(cols[i].path) == 2 && caddyKeys[cols[i].path[1]] {
			c.server = cure.Caddy
		} else if name == "connection" && c.server == cure.Unknown && cols[i].fits(fConnection) {
			c.server = cure.Nginx
		}
		if key := " " + cols[i].path[0]; len(first) < 200 && !strings.Contains(first+" ", key+" ") {
			first += key
		}
	}
	c.assign(j, cols, keys)
	if c.server == cure.Unknown && len(keys) == 0 && !c.requested(cols) {
		return chosen{}, &MissingError{Format: "JSON", Server: cure.Unknown, Err: errOfConnections}
	}
	if c.server == cure.Unknown && (c.has[fConnection] && c.has[fOrdinal] || !c.identified()) {
		c.server = cure.Nginx
	}
	if c.server == cure.Unknown && c.has[fConnection] { // nothing says that its numbers have no gaps
		j.root.rename(fConnection, fID)
		c.has[fConnection], c.has[fID] = false, true
	}
	c.name = jsonLogs[c.server]
	if lacks := c.lacksInJSON(lines, first); lacks != nil {
		return chosen{}, &MissingError{Format: c.name, Server: c.server, Err: lacks}
	}
	return c, nil
}

// identified reports whether the format says which connection a line is of.
func (c *chosen) identified() bool {
	return c.has[fConnection] || c.has[fID] || c.has[fPeer] || c.has[fAddr] && c.has[fPort]
}

// assign makes the reader read what the sample has. A known name whose values are something else is not read.
func (c *chosen) assign(j *jsonReader, cols []column, keys map[string]string) {
	a, forced := assign(cols), map[string]field{}
	for ours, theirs := range keys {
		forced[jsonName(theirs)] = jsonNames[jsonName(ours)]
	}
	for i := range cols {
		p := cols[i].path
		name, whole := jsonName(p[len(p)-1]), jsonName(strings.Join(p, ""))
		if f := max(forced[name], forced[whole]); f != skipped {
			a[f] = i + 1
		} else if f := j.root.names[name]; len(p) == 1 && f != skipped && cols[i].misfits(f) {
			delete(j.root.names, name)
		} else if len(p) == 1 {
			c.has[f] = true
		}
	}
	for f, i := range a {
		if i > 0 {
			j.root.reads(cols[i-1].path, field(f), cols[i-1].list)
			c.has[f] = true
		}
	}
	c.has[fOrdinal] = c.has[fOrdinal] || c.has[fOrdinal0]
}

// misfits reports whether a known name has values that would make its lines unreadable.
func (c *column) misfits(f field) bool {
	switch f {
	case fConnection, fOrdinal, fTimeISO, fStatus:
		set := column{}
		for _, v := range c.values {
			if v != "" {
				set.values = append(set.values, v)
			}
		}
		return len(set.values) > 0 && !set.fits(f)
	}
	return false
}

// lacksInJSON says what the objects need to identify their connection.
func (c *chosen) lacksInJSON(lines [][]byte, keys string) error {
	fromNginx := c.server == cure.Nginx || c.server == cure.IngressNginx
	switch {
	case c.has[fConnection] && !c.has[fOrdinal] && fromNginx:
		return fmt.Errorf("these JSON lines have no key for $connection_requests (their keys:%.200s); where one "+
			"has another name: --key connection_requests=NAME", keys)
	case c.has[fConnection]:
		c.requires(true)
		return nil
	}
	if c.requires(false); c.has[fPeer] || c.has[fPort] || c.has[fID] {
		if 2*fitting(*c, lines) > len(lines) {
			return nil
		}
		return fmt.Errorf("these lines are %s, and most of them have no client port (their keys:%.200s)", c.name, keys)
	}
	if fromNginx {
		return fmt.Errorf("these JSON lines have no key for the connection (their keys:%.200s); where one has "+
			"another name: --key connection=NAME --key connection_requests=NAME", keys)
	}
	return fmt.Errorf("these lines are %s, which has neither the connection's number nor the client's port (its "+
		"keys:%.200s)", c.name, keys)
}

// requested distinguishes an access log from a log of connections, as balancers and databases write one too. What
// identifies no connection is refused elsewhere.
func (c *chosen) requested(cols []column) bool {
	for _, f := range []field{fRequest, fPath, fStatus, fFlags} {
		if c.has[f] {
			return true
		}
	}
	return !c.identified() || slices.ContainsFunc(cols, methods)
}

var errOfConnections = errors.New("these lines have what identifies a connection, but no request and no status: they are of " +
	"connections")

// requires says what each line must have: the connection's number and, where any line has one, the
// request's, or the client's port.
func (c *chosen) requires(number bool) {
	j := c.reader.(*jsonReader)
	j.number, j.ordinal = number, c.has[fOrdinal]
}
