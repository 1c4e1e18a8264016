package runs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// OwnServices is the checkout's directory of services.
const OwnServices = "services"

// services are the variants of services/ and how each is started.
type services struct {
	ecosystems []clients.Ecosystem
	rows       []plan.Row
	argv       map[facts.Client][]string
	// lacks says why a variant can't run here; build sets it.
	lacks map[facts.Client]string
}

// readServices reads the manifests of services/.
func (l *Lab) readServices() (*services, error) {
	all, err := clients.Read(l.Root, OwnServices)
	if err != nil {
		return nil, err
	}
	s := &services{ecosystems: all, argv: map[facts.Client][]string{}, lacks: map[facts.Client]string{}}
	for _, e := range all {
		for _, c := range e.Clients {
			s.rows = append(s.rows, plan.Row{Client: c.Name, Protocol: c.Protocol, Program: e.Program(c)})
			s.argv[c.Name] = e.Argv(c)
		}
	}
	return s, nil
}

// build builds the services where they aren't current. Without the toolchain nothing of a story can
// run; a variant with needs of its own is unsupported without them, unless the user named it.
func (s *services) build(ctx context.Context, l *Lab, named []string) error {
	env := clients.Env(l.Root)
	for _, e := range s.ecosystems {
		if reason := e.Lacks(ctx, env); reason != "" {
			return errors.Join(ctx.Err(), exitstatus.Lacks(fmt.Errorf("%s: %s", e.Folder(), reason)))
		}
		if !e.Current() {
			l.message("h2lab: building %s (once; some minutes)", e.Folder())
		}
		if err := e.Make(ctx, env); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return exitstatus.Lacks(err)
		}
		for _, c := range e.Clients {
			why := c.Lacks(ctx, env)
			if why != "" && slices.Contains(named, string(c.Name)) {
				return exitstatus.Lacks(fmt.Errorf("%s: %s: %s", e.Folder(), c.Name, why))
			}
			s.lacks[c.Name] = firstLine(why)
		}
	}
	return ctx.Err()
}

// What a JVM needs: the heap of services/spring/run.sh, and metaspace, compiled code and stacks.
const (
	heapMB       = 256
	serverHeapMB = 512 // of server-*, which a burst fills
	besidesHeap  = 150
)

// ampleMemory checks that the JVMs of these services fit into the memory that is free; nil is unknown.
func ampleMemory(free *int64, jvms []facts.Server) error {
	need := int64(0)
	for _, s := range jvms {
		need += heapMB + besidesHeap
		if strings.HasPrefix(s.Name, "server-") {
			need += serverHeapMB - heapMB
		}
	}
	if free == nil || *free >= need {
		return nil
	}
	return exitstatus.Lacks(fmt.Errorf("this machine has %d MB of free memory, and %d JVMs require %d MB (a heap of %d MB "+
		"each, %d MB for server-*, and about %d MB besides it); end other programs, or measure fewer services: CLIENT=NAME",
		*free, len(jvms), need, heapMB, serverHeapMB, besidesHeap))
}

// startingServices bounds the start of the services: all JVMs start side by side, and each takes 5 s on
// an idle core.
const startingServices = 3 * time.Minute

// startServices starts services beside the servers that run, and waits for them.
func (l *Lab) startServices(ctx context.Context, s *servers, wanted []facts.Server) (err error) {
	if len(wanted) == 0 {
		return nil
	}
	if err := ampleMemory(proc.AvailableMB(), wanted); err != nil {
		return err
	}
	l.message("h2lab: starting %d services", len(wanted))
	s.services, err = native.Up(ctx, native.Options{Root: l.Root, LogDir: filepath.Join(l.Root, "var", "log"),
		ReadyWithin: startingServices}, wanted)
	return err
}

// stopServices stops the services and leaves the servers running, also after an interrupt.
func (s *servers) stopServices(ctx context.Context) error {
	if s.services == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(child.Cleanup(context.WithoutCancel(ctx)), stopping)
	defer cancel()
	err := s.services.Down(ctx)
	s.services = nil
	return err
}

// Pids implements conduct.Site for servers and services.
func (s *servers) Pids(name string) []int {
	if s.services != nil {
		if pids := s.services.Pids(name); pids != nil {
			return pids
		}
	}
	return s.Site.Pids(name)
}

// Alive implements conduct.Site for servers and services.
func (s *servers) Alive() error {
	if s.services == nil {
		return s.Site.Alive()
	}
	return errors.Join(s.services.Alive(), s.Site.Alive())
}

// records are those of the servers and the services.
func (s *servers) records(ctx context.Context, dir string) ([]facts.ServerRecord, error) {
	out, err := s.Records(ctx, dir)
	if err != nil || s.services == nil {
		return out, err
	}
	more, err := s.services.Records(ctx, dir)
	return append(out, more...), err
}
