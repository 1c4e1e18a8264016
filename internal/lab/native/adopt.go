package native

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"h2lab/internal/base/child"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// Adopt finds servers that already run in this PID and network namespace (the pod under Compose) by
// the ports they listen on, and checks that each one answers. Only the superuser can see the owners
// of the sockets. Down leaves the servers running; their CPU limits are the engine's, in
// opts.AdoptedCPUs.
func Adopt(ctx context.Context, opts Options, servers []facts.Server) (*Site, error) {
	s, err := newSite(opts)
	if err != nil {
		return nil, err
	}
	client, err := healthClient(s.root)
	if err != nil {
		return nil, err
	}
	for _, srv := range upstreamFirst(servers) {
		srv, err := derivedBefore(s.root, srv, opts.Limit)
		if err != nil {
			return nil, err
		}
		p, err := find(srv)
		if err != nil {
			return nil, err
		}
		if err := healthy(ctx, client, srv); err != nil {
			return nil, fmt.Errorf("%s (pid %d) runs but isn't healthy: %w", srv.Name, p.PID, err)
		}
		p.family = proc.Tree(p.PID)
		if cpus, ok := opts.AdoptedCPUs[srv.Name]; ok {
			p.cpus = &cpus
		}
		p.account = opts.Accounts[srv.Name]
		s.processes = append(s.processes, p)
	}
	return s, nil
}

// find returns the process that listens on a server's front.
func find(srv facts.Server) (*process, error) {
	port, err := portOf(srv.Front)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", srv.Name, err)
	}
	pid, _, ok := proc.PortOwner(port)
	if !ok {
		return nil, fmt.Errorf("%s: no visible process listens on %s; is it up, and do we share its PID "+
			"namespace as root? look with: ss -ltnp", srv.Name, srv.Front)
	}
	started, err := proc.StartTime(pid)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", srv.Name, err)
	}
	return &process{server: srv, Child: child.Find(pid, started, srv.Name), adopted: true}, nil
}

// derivedBefore is the server with the configuration that Derive made for the limit before the
// server was started.
func derivedBefore(root string, srv facts.Server, limit int) (facts.Server, error) {
	if !CarriesLimit(srv, limit) {
		return srv, nil
	}
	srv.Config = derivedPath(srv, limit, false)
	if _, err := os.Stat(filepath.Join(root, srv.Config)); err != nil {
		return srv, fmt.Errorf("%s should run with a limit of %d: %w", srv.Name, limit, err)
	}
	return srv, nil
}
