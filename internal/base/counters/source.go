package counters

import (
	"context"
	"fmt"

	"h2lab/internal/facts"
)

// Source reads the counters of one server.
type Source interface {
	// Observe reads them once. It may be called from several goroutines; they take turns.
	Observe(ctx context.Context) (facts.Observation, error)
	// Close gives the connection back.
	Close()
}

// twin is a source that can give another one for the same server, whose
// connections and reads both take off.
type twin interface{ twin() Source }

// Open prepares the source of a server by its kind. root is the project's root,
// under which nginx's used log lies. Nothing is dialled before the first Observe.
//
// Open a server's source once: a second source of the same nginx counts the
// first one's connections as anybody's.
func Open(root string, s facts.Server) (Source, error) {
	switch s.Kind {
	case facts.Nginx:
		return openNginx(root, s)
	case facts.Envoy:
		return openEnvoy(s), nil
	case facts.Backend:
		return openBackend(s), nil
	}
	return nil, fmt.Errorf("server %s is of kind %q, whose counters can't be read; the kinds are %s, %s and %s",
		s.Name, s.Kind, facts.Nginx, facts.Envoy, facts.Backend)
}
