package traefikconf

import "h2lab/internal/field/lint"

const (
	entryDocs = "https://doc.traefik.io/traefik/reference/install-configuration/entrypoints/"
	goDocs    = "Go 1.26.8 net/http/h2_bundle.go, (*serverConn).goAway; " +
		"https://www.rfc-editor.org/rfc/rfc9113.html#section-6.8"
)

var (
	limitSet = lint.Rule{
		ID:       "traefik/limit",
		Severity: lint.Warning,
		Title:    "a limit on requests per connection, in one stage",
		Help: "At keepAliveMaxRequests Traefik has Go send one GOAWAY, and requests that are on their way above the " +
			"id it names are dropped without an answer. Clients must send them again, and many don't. Leave it at 0, no " +
			"limit, or raise it.",
		Docs: entryDocs + "; " + goDocs,
	}
	ageSet = lint.Rule{
		ID:       "traefik/age",
		Severity: lint.Warning,
		Title:    "connections end by age, in one stage and without jitter",
		Help: "At keepAliveMaxTime Traefik has Go send one GOAWAY with the next request: what is on its way is " +
			"dropped, and connections that were opened together end together. Leave it at 0, or use an hour and " +
			"clients that retry.",
		Docs: entryDocs + "; " + goDocs,
	}
	idleShort = lint.Rule{
		ID:       "traefik/idle-short",
		Severity: lint.Warning,
		Title:    "a pause of seconds ends the connection",
		Help: "Between two bursts every connection is closed, and the next burst begins with a dial for each of its " +
			"requests. Below 10 s this is a warning, below 60 s a note. The default is 180 s.",
		Docs: entryDocs + ", transport.respondingTimeouts.idleTimeout",
	}
	streamsLow = lint.Rule{
		ID:       "traefik/streams-low",
		Severity: lint.Warning,
		Title:    "fewer streams than requests in flight",
		Help: "A client with more requests than maxConcurrentStreams waits or opens more connections. The " +
			"default is 250.",
		Docs: entryDocs + ", http2.maxConcurrentStreams",
	}
	refused = lint.Rule{
		ID:       "traefik/refused",
		Severity: lint.Error,
		Title:    "Traefik refuses to start with this",
		Help:     "Unknown options and values that don't parse end Traefik at its start.",
		Docs:     entryDocs,
	}
	poolLow = lint.Rule{
		ID:       "traefik/pool-low",
		Severity: lint.Warning,
		Title:    "fewer idle connections to a server than requests in flight",
		Help: "Over HTTP/1.1 connections above maxIdleConnsPerHost are closed after each answer and dialled again. " +
			"The default is 200.",
		Docs: "https://doc.traefik.io/traefik/reference/install-configuration/configuration-options/, serverstransport",
	}
	upstreamDials = lint.Rule{
		ID:       "traefik/upstream-h2",
		Severity: lint.Note,
		Title:    "HTTP/2 to servers dials as Go does",
		Help: "Traefik's client is Go's net/http. Over HTTPS it speaks HTTP/2 with servers that offer it, and at the " +
			"limit of a server such as nginx it dials once for every request that waits; bodies that can't be read " +
			"twice fail. disableHTTP2 on the serversTransport avoids both.",
		Docs: "docs/clients.md, net/http; " +
			"https://doc.traefik.io/traefik/reference/routing-configuration/http/load-balancing/serverstransport/",
	}
)

// Rules lists all rules of this package.
var Rules = []lint.Rule{limitSet, ageSet, idleShort, streamsLow, refused, poolLow, upstreamDials}
