package native

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// Found is a running server of the lab, recognised by its command line and its working directory,
// whatever started it.
type Found struct {
	PID     int
	Started uint64
	Name    string // its program's name in the kernel
	Root    string // the checkout that it runs in
	There   bool   // that directory still exists
	Kind    facts.Kind
}

// recognise reports whether a process is a server of a checkout of the lab: it was started there,
// as commandOf does, with relative paths. Its program's file may have been rebuilt or removed
// since. A process with another root directory is none: its paths are not this system's.
func recognise(pid int) (Found, bool) {
	args := proc.Args(pid)
	dir, there := proc.Cwd(pid)
	if len(args) == 0 || dir == "" || !proc.SameNetwork(pid) || !proc.SameRoot(pid) {
		return Found{}, false
	}
	kind := kindOf(args, dir)
	if kind == "" && proc.Name(pid) == "nginx" && proc.HasOpenBelow(pid, filepath.Join(dir, "var")) {
		kind = facts.Nginx // started through a dynamic loader, as tools/nginx-current is, which garbles nginx's title
	}
	if kind == "" || worker(args) && !isCheckout(dir) {
		return Found{}, false
	}
	started, err := proc.StartTime(pid)
	if err != nil {
		return Found{}, false
	}
	return Found{PID: pid, Started: started, Name: proc.Name(pid), Root: dir, There: there, Kind: kind}, true
}

// kindOf parses a command line of commandOf; nginx replaces its own with a title that repeats it.
func kindOf(args []string, dir string) facts.Kind {
	line := strings.Join(args, " ")
	switch {
	case worker(args):
		return facts.Nginx
	case configIn(line, " -p "+dir+string(filepath.Separator)+" -c ") && strings.Contains(line, " -e stderr"):
		return facts.Nginx
	case configIn(line, " -c ") && strings.Contains(line, " --disable-hot-restart"):
		return facts.Envoy
	case slices.ContainsFunc(args, isServiceMark) && strings.Contains(line, " --ca "+caFile):
		return facts.Service // or a gateway, which is stopped in the same way
	case slices.Contains(args, "--counters") && strings.Contains(line, " --cert "+certFile+" --key "+keyFile):
		return facts.Backend
	}
	return ""
}

// serviceMark begins the argument by which a JVM of services/ is recognised (services/spring/run.sh).
const serviceMark = "-Dh2lab.service="

func isServiceMark(arg string) bool { return strings.HasPrefix(arg, serviceMark) }

// worker reports whether an nginx master started the process. Its title has no arguments.
func worker(args []string) bool { return strings.HasPrefix(args[0], "nginx: worker process") }

// isCheckout reports whether a directory is a checkout of the lab.
func isCheckout(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "nginx", "keepalive-1000.conf"))
	return err == nil
}

// configIn reports whether the text after mark is one of the lab's configurations.
func configIn(line, mark string) bool {
	_, after, found := strings.Cut(line, mark)
	in := func(dir string) bool { return strings.HasPrefix(after, dir) }
	return found && (in("nginx/") || in("envoy/") || in("var/"))
}

// Running are this checkout's running servers, including those without a state file, but without
// nginx's workers.
func Running(root string) []Found {
	root, err := filepath.EvalSymlinks(root)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return nil
	}
	var out []Found
	living := proc.Living()
	for pid := range living {
		f, ok := recognise(pid)
		if !ok || f.Root != root {
			continue
		}
		if above, ok := recognise(living[pid]); ok && above.Root == root {
			continue // it ends with its master
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Found) int { return a.PID - b.PID })
	return out
}

// StopRunning stops recognised servers.
func StopRunning(ctx context.Context, found []Found) error {
	errs := make([]error, len(found))
	var group await.Group
	for i, f := range found {
		p := &process{server: facts.Server{Name: f.Name, Kind: f.Kind}, Child: child.Find(f.PID, f.Started, f.Name)}
		group.Go(func() { errs[i] = p.stop(ctx, defaultGrace) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// Elsewhere are the servers of other checkouts that listen on these servers' ports.
func Elsewhere(root string, servers []facts.Server) []*PortError {
	var out []*PortError
	for _, err := range Taken(root, servers) {
		var taken *PortError
		if errors.As(err, &taken) && taken.Checkout != "" && !taken.Ours {
			if !slices.ContainsFunc(out, func(e *PortError) bool { return e.Checkout == taken.Checkout }) {
				out = append(out, taken)
			}
		}
	}
	return out
}

// clock formats a time of today.
func clock(t time.Time) string { return t.Local().Format("15:04:05") }
