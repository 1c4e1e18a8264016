package native

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"

	"h2lab/internal/base/proc"
	"h2lab/internal/base/shell"
	"h2lab/internal/base/syserr"
	"h2lab/internal/facts"
)

// PortError means that an address is in use, with its owner where that is visible.
type PortError struct {
	Addr    string
	Server  string // the lab's server that needs it
	PID     int    // 0 when the owner can't be seen
	Program string
	// Checkout is the checkout whose server the owner is, or empty.
	Checkout string
	Ours     bool // that is this checkout
	There    bool // it still exists
	Running  int  // pid of the h2lab that measures there, or 0
	Inside   bool // the owner has a root directory of its own, as in a container
}

func (e *PortError) Error() string {
	what := fmt.Sprintf("%s, which %s needs, is taken", e.Addr, e.Server)
	switch {
	case e.Ours:
		return fmt.Sprintf("%s by %s (pid %d), left by h2lab up; run: make down", what, e.Program, e.PID)
	case e.Running != 0:
		return fmt.Sprintf("%s by %s (pid %d) of another checkout: %v", what, e.Program, e.PID, &LockError{
			Root: e.Checkout,
			PID:  e.Running,
		})
	case e.Checkout != "" && e.There:
		return fmt.Sprintf("%s by %s (pid %d) of another checkout, %s; stop it with: make -C %[4]s down", what,
			e.Program, e.PID, shell.Word(e.Checkout))
	case e.Inside:
		return fmt.Sprintf("%s by %s (pid %d) in a container; stop that container and try again; look with: docker ps",
			what, e.Program, e.PID)
	case e.PID != 0:
		return fmt.Sprintf("%s by %s (pid %d); stop it and try again: kill %d", what, e.Program, e.PID, e.PID)
	default:
		_, port, _ := net.SplitHostPort(e.Addr)
		return fmt.Sprintf("%s, by a process that can't be seen from here; look with: sudo ss -ltnp 'sport = :%s'",
			what, port)
	}
}

// portsFree tries to listen on every address of the servers. Its error names every address in use.
func portsFree(root string, servers []facts.Server) error {
	var errs []error
	for _, s := range servers {
		for _, addr := range []string{s.Front, s.Counters} {
			if addr == "" {
				continue
			}
			err := portFree(addr)
			if err == nil {
				continue
			}
			if !syserr.PortTaken(err) {
				errs = append(errs, fmt.Errorf("%s, which %s needs, can't be listened on: %w", addr, s.Name, err))
				continue
			}
			errs = append(errs, takenBy(root, addr, s.Name))
		}
	}
	return errors.Join(errs...)
}

func portFree(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

// takenBy finds the owner of an address.
func takenBy(root, addr, server string) *PortError {
	e := &PortError{Addr: addr, Server: server}
	port, err := portOf(addr)
	if err != nil {
		return e
	}
	pid, name, ok := proc.PortOwner(port)
	if !ok {
		return e
	}
	e.PID, e.Program, e.Inside = pid, name, !proc.SameRoot(pid)
	if site, err := Load(filepath.Join(root, StateFile)); err == nil {
		e.Ours = slices.ContainsFunc(site.processes, func(p *process) bool { return p.Alive() && p.PID == pid })
	}
	f, ok := recognise(pid)
	if !ok {
		return e
	}
	e.Checkout, e.There = f.Root, f.There
	if own, err := filepath.EvalSymlinks(root); err == nil {
		own, err = filepath.Abs(own)
		e.Ours = e.Ours || err == nil && own == f.Root
	}
	if !e.Ours && e.There {
		e.Running = holder(f.Root)
	}
	return e
}

// portOf is the port in host:port.
func portOf(addr string) (int, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return 0, fmt.Errorf("address %q: %w", addr, err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return 0, fmt.Errorf("address %q: %w", addr, err)
	}
	return n, nil
}

// onceEach keeps one error for each other checkout: one command stops all servers of a checkout.
func onceEach(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var out []error
	seen := map[string]bool{}
	for _, e := range joined.Unwrap() {
		var taken *PortError
		if errors.As(e, &taken) && taken.Checkout != "" {
			if seen[taken.Checkout] {
				continue
			}
			seen[taken.Checkout] = true
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}
