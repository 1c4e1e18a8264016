package workshop

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
)

// Learner is the learner's own directory, relative to the project's root.
const Learner = "workshop"

// caFile signed every certificate of the lab, relative to the root.
const caFile = "certs/out/ca.crt"

// Desk is the project in which a learner works.
type Desk struct {
	Root string
	// Results is the directory of runs; relative to Root unless absolute.
	Results string
	// MysteryHolder is the command line of the process that runs the server of exercise 10.
	MysteryHolder []string

	own   own     // set by Verify: what the learner's seed determines
	built program // set by prepare, for the exercises that are programs
}

// MissingError is something that an exercise requires and that isn't there.
type MissingError struct{ What, Next string }

func (e *MissingError) Error() string { return e.What + "; next: " + e.Next }

// mostFile limits the size of a learner's file.
const mostFile = 1 << 20

func (d *Desk) dir() string { return filepath.Join(d.Root, Learner) }

// shown is the name of a learner's file in messages.
func shown(n int, name string) string { return fmt.Sprintf("%s/%02d/%s", Learner, n, name) }

func (d *Desk) path(n int, name string) string {
	return filepath.Join(d.Root, filepath.FromSlash(shown(n, name)))
}

// read returns the text of a learner's file.
func (d *Desk) read(n int, name string) (string, error) {
	f, err := os.Open(d.path(n, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", &MissingError{shown(n, name) + " isn't there", "make workshop"}
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", &MissingError{shown(n, name) + " is no file", "move it away, then make workshop"}
	}
	text, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", shown(n, name), err)
	}
	if len(text) > mostFile {
		return "", fmt.Errorf("%s is larger than 1 MiB, which no exercise requires; next: mv %[1]s %[1]s.old && "+
			"make workshop", shown(n, name))
	}
	return string(text), nil
}

// target is the front of a topology, with a path that the front answers itself.
func (d *Desk) target(name string) probe.Target {
	t := probe.Target{Addr: d.topology(name).Front().Front, CAFile: filepath.Join(d.Root, caFile)}
	if d.topology(name).Front().Kind == facts.Backend {
		t.Path = "/healthz"
	}
	return t
}

// roots returns the lab's certificate authority.
func (d *Desk) roots() (*x509.CertPool, error) {
	text, err := os.ReadFile(filepath.Join(d.Root, caFile))
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(text) {
		return nil, &MissingError{caFile + " isn't there or is no certificate", "make certs"}
	}
	return pool, nil
}

// startLab is the command that starts the servers as the exercises need them.
const startLab = "make up FOR=learner"

// up checks that the servers run with the limit of the exercises. It asks the servers and reads no
// state file, so it doesn't matter who started them.
func (d *Desk) up(ctx context.Context) error {
	if _, err := d.roots(); err != nil {
		return err
	}
	for _, name := range []string{lowNginx, highNginx, lowEnvoy, direct} {
		addr := d.topology(name).Front().Front
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", addr)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &MissingError{fmt.Sprintf("the lab's servers aren't up: nobody answers at %s (%s)", addr, name),
				startLab}
		}
		_ = c.Close()
	}
	limit, err := probe.RequestLimit(ctx, d.target(lowNginx), d.own.limit+10, d.own.limit)
	switch {
	case err != nil:
		return fmt.Errorf("%w; next: make down, then %s", err, startLab)
	case limit.Effective == nil || *limit.Effective != d.own.limit:
		return &MissingError{"the lab's servers are up with a limit other than yours", "make down, then " + startLab}
	}
	return nil
}
