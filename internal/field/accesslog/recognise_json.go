package accesslog

import (
	"fmt"

	"github.com/tidwall/gjson"

	"h2lab/internal/field/cure"
)

// jsonServers are keys that only one server's logs have: Envoy's documented operators as names, Traefik's
// fields (doc.traefik.io, access logs), ingress-nginx's variables.
var jsonServers = map[string]string{
	"responseflags": cure.Envoy, "upstreamcluster": cure.Envoy, "connectionterminationdetails": cure.Envoy,
	"responsecodedetails": cure.Envoy, "upstreamhost": cure.Envoy,
	"routername": cure.Traefik, "downstreamstatus": cure.Traefik, "entrypointname": cure.Traefik,
	"startutc":          cure.Traefik,
	"proxyupstreamname": cure.IngressNginx, "ingressname": cure.IngressNginx,
}

// jsonLogs are the names of the formats, by server.
var jsonLogs = map[string]string{cure.Nginx: "JSON", cure.Envoy: "Envoy's JSON", cure.Traefik: "Traefik's JSON",
	cure.Caddy: "Caddy's JSON", cure.IngressNginx: "ingress-nginx's JSON"}

// recogniseJSON checks which fields the first objects have.
func recogniseJSON(lines [][]byte, keys map[string]string) (chosen, error) {
	j := newJSONReader(keys)
	c := chosen{reader: j, server: cure.Nginx}
	first := ""
	for _, l := range lines {
		gjson.ParseBytes(l).ForEach(func(key, value gjson.Result) bool {
			name := jsonName(key.Str)
			c.has[j.names[name]] = true
			if s, known := jsonServers[name]; known {
				c.server = s
			}
			if name == "request" && value.IsObject() {
				c.server = cure.Caddy
				value.ForEach(func(key, _ gjson.Result) bool {
					c.has[caddyNames[key.Str]] = true
					return true
				})
			}
			if len(first) < 200 {
				first += " " + key.Str
			}
			return true
		})
	}
	c.name = jsonLogs[c.server]
	if lacks := c.lacksInJSON(lines, first); lacks != nil {
		return chosen{}, &MissingError{Format: c.name, Server: c.server, Err: lacks}
	}
	return c, nil
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
	if c.requires(false); c.has[fPeer] || c.has[fPort] {
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

// requires says what each line must have: the connection's number and, where any line has one, the
// request's, or the client's port.
func (c *chosen) requires(number bool) {
	j := c.reader.(*jsonReader)
	j.number, j.ordinal = number, number && c.has[fOrdinal]
}
