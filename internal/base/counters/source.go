package counters

import (
	"context"
	"fmt"

	"h2lab/internal/facts"
)

// Source reads the counters of one server.
type Source interface {
	// Observe reads the counters once. Several goroutines may call it; it runs one reading at a
	// time.
	Observe(ctx context.Context) (facts.Observation, error)
	// Close closes the connection.
	Close()
}

// twin is a source that can open a second source for the same server; each subtracts the
// connections and reads of both.
type twin interface{ twin() Source }

// Open prepares the source of a server by its kind. root is the project's root, which contains
// nginx's log of first requests. Open dials nothing; the first Observe does.
//
// Open a server's source only once: a second source of the same nginx counts the first one's
// connections as a client's.
func Open(root string, s facts.Server) (Source, error) {
	switch s.Kind {
	case facts.Nginx:
		return openNginx(root, s)
	case facts.Envoy:
		return openEnvoy(s), nil
	case facts.Backend:
		return openBackend(s), nil
	case facts.Gateway:
		return openGateway(s), nil
	}
	return nil, fmt.Errorf("server %s is of kind %q, whose counters can't be read; the kinds are %s, %s, %s and %s",
		s.Name, s.Kind, facts.Nginx, facts.Envoy, facts.Backend, facts.Gateway)
}
