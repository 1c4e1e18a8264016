package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/syserr"
	"h2lab/internal/facts"
	"h2lab/internal/lab/delay"
)

// distanceFile has the distance of the last `up`; it is relative to the root.
const distanceFile = "var/distance.json"

// keepDistance stores the distance of an `up` for Far; without one it removes that of an earlier `up`.
func (l *Lab) keepDistance(d facts.Distance) error {
	path := filepath.Join(l.Root, distanceFile)
	if !d.Any() {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return rooted.WriteFile(path, append(text, '\n'))
}

// UpDistance is the distance of the last `up` of a checkout; its zero value where it had none.
func UpDistance(root string) (d facts.Distance, err error) {
	if root == "" {
		return d, nil
	}
	text, err := os.ReadFile(filepath.Join(root, distanceFile))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		return d, fmt.Errorf("the distance of `up` can't be read: %w; give one: h2lab delay --rtt 20ms -- COMMAND", err)
	}
	return d, nil
}

// lineWorks opens and closes a line, so that `up` with a distance fails before it starts servers.
func (l *Lab) lineWorks(d facts.Distance) error {
	if !d.Any() {
		return nil
	}
	line, err := delay.Beside(delay.Of(d))
	if err != nil {
		return exitstatus.Lacks(err)
	}
	line.Close()
	return nil
}

// besideALine explains the error of a namespace in which 127.0.0.1 is no address.
func besideALine(err error) error {
	if !syserr.NoAddress(err) {
		return err
	}
	return fmt.Errorf("127.0.0.1 is no address of this network namespace, such as that of a command of h2lab delay: run "+
		"h2lab delay outside of it, with --rtt for the whole distance (%w)", err)
}

// interruptedFor is how long a command may take to end after Ctrl-C or SIGTERM.
const interruptedFor = 10 * time.Second

// Far runs a command at the far end of a line from this network namespace and returns its exit status.
// No process that the command started outlives it, since the line ends then.
func (l *Lab) Far(ctx context.Context, d facts.Distance, argv []string) (status int, err error) {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return 0, exitstatus.Lacks(fmt.Errorf("the command can't be run: %w; give the name of a program in PATH, or its path",
			err))
	}
	line := delay.Of(d)
	line.Seed = rand.Uint64()
	far, err := delay.Beside(line)
	if err != nil {
		return 0, exitstatus.Lacks(besideALine(err))
	}
	defer far.Close()
	// A command that reads from a terminal must be in its foreground process group, which h2lab is in.
	interactive := term.IsTerminal(int(os.Stdin.Fd()))
	c, err := child.Start(child.Spec{Argv: argv, Stdin: os.Stdin, Stdout: l.Stdout, Stderr: l.Stderr,
		Foreground: interactive, EndsWithUs: true, Start: far.Start})
	if err != nil {
		return 0, fmt.Errorf("%s can't be started: %w", argv[0], err)
	}
	select {
	case <-c.Exited():
	case <-far.Broken(): // warnings have the reason
		err = errors.New("the command was ended, because its line to this machine's servers ended")
	case <-ctx.Done():
		err = ctx.Err()
		if interactive && child.Await(child.Cleanup(ctx), interruptedFor, func() bool { return !c.Alive() }) {
			err = nil // the terminal has sent Ctrl-C to the command, too, and it has ended by itself
		}
	}
	stopped := c.Stop(child.Cleanup(context.WithoutCancel(ctx)), child.Manner{Grace: interruptedFor, Group: true})
	for _, w := range (farEnd{far}).warnings() {
		l.message("h2lab: warning: %s", w)
	}
	return c.Status(), errors.Join(err, stopped)
}
