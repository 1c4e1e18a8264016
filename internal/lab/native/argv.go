package native

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
)

// command is a server's program and arguments. It runs in the project's root, so every path in it
// is relative to that.
type command struct {
	program string
	args    []string
}

// Certificates, relative to the project's root, as certs/make.sh writes them.
const (
	caFile   = "certs/out/ca.crt"
	certFile = "certs/out/server.crt"
	keyFile  = "certs/out/server.key"
)

// commandOf is the command of a server.
func commandOf(ctx context.Context, root string, tools Tools, s facts.Server) (command, error) {
	var c command
	switch s.Kind {
	case facts.Nginx:
		path, reason := chooseNginx(ctx, tools, s)
		if reason != "" {
			return command{}, &UnsupportedError{Server: s.Name, Reason: reason}
		}
		// Without -e nginx prints a warning about its compiled-in error log before it reads the
		// file.
		c = command{path, []string{"-p", root + string(filepath.Separator), "-c", s.Config, "-e", "stderr"}}
	case facts.Envoy:
		// Hot restart is off: several Envoys then need no base ids, and none leaves shared memory
		// behind in /dev/shm, as with --use-dynamic-base-id (measured on 1.40.0).
		c = command{tools.Envoy,
			[]string{"-c", s.Config, "--concurrency", "1", "--disable-hot-restart", "--log-level", "warning"}}
	case facts.Backend:
		c = command{tools.Backend, []string{"--listen", s.Front, "--counters", s.Counters,
			"--cert", certFile, "--key", keyFile}}
	case facts.Gateway, facts.Service:
		return serviceCommand(root, s)
	default:
		return command{}, fmt.Errorf("%s: unknown kind of server %q", s.Name, s.Kind)
	}
	if c.program == "" {
		return command{}, &ToolError{Tool: string(s.Kind), Need: minVersions[string(s.Kind)].String()}
	}
	return c, nil
}

// serviceCommand is the command of a program of services/: its own arguments, then those that all of
// them share.
func serviceCommand(root string, s facts.Server) (command, error) {
	if len(s.Argv) == 0 {
		return command{}, fmt.Errorf("%s has no program", s.Name)
	}
	program := s.Argv[0]
	if !filepath.IsAbs(program) {
		program = filepath.Join(root, program)
	}
	if executable(program) == "" {
		return command{}, exitstatus.Lacks(fmt.Errorf("%s is missing: %s is no program; build it with: make story",
			s.Name, program))
	}
	port, err := portOf(s.Front)
	if err != nil {
		return command{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	args := append(slices.Clone(s.Argv[1:]), "--port", strconv.Itoa(port), "--ca", caFile)
	if s.Kind == facts.Gateway {
		counters, err := portOf(s.Counters)
		if err != nil {
			return command{}, fmt.Errorf("%s: %w", s.Name, err)
		}
		args = append(args, "--counters", strconv.Itoa(counters), "--cert", certFile, "--key", keyFile)
	}
	for _, u := range s.Upstreams {
		args = append(args, "--upstream", u.Name+"="+u.Front)
	}
	return command{program, args}, nil
}

// onJVM reports whether a server is a program of services/. It runs without a CPU budget: half a
// processor would make a JVM's start and its compiler, not the proxies, the slowest part.
func onJVM(s facts.Server) bool { return s.Kind == facts.Gateway || s.Kind == facts.Service }

// UnsupportedError means that a server can't run here, because of the given version.
type UnsupportedError struct {
	Server string
	Reason string
}

func (e *UnsupportedError) Error() string { return e.Reason + "; run: make tools" }
