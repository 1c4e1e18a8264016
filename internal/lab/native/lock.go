package native

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"h2lab/internal/base/proc"
)

// LockFile prevents a second run in the same checkout; it is relative to the root.
const LockFile = "var/lock"

// LockError means that another h2lab is running in the checkout.
type LockError struct {
	Root string
	PID  int // 0 until it has written it
}

// mostCommand bounds how much of a command line an error shows.
const mostCommand = 80

func (e *LockError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("another h2lab has just started in this checkout (%s); try again when it is done", e.Root)
	}
	args := proc.Args(e.PID)
	what := "a measurement is running"
	for _, brief := range []string{"up", "down"} {
		if slices.Contains(args, brief) {
			what = "h2lab " + brief + " is at work"
		}
	}
	who := fmt.Sprintf("pid %d", e.PID)
	if line := []rune(strings.Join(args, " ")); len(line) > mostCommand {
		who += fmt.Sprintf(", %q", string(line[:mostCommand])+"…")
	} else if len(line) > 0 {
		who += fmt.Sprintf(", %q", string(line))
	}
	if at, ok := proc.StartedAt(e.PID); ok {
		who += ", since " + clock(at)
	}
	return fmt.Sprintf("%s in %s (%s); wait until it ends, or stop it with: kill -INT %d", what, e.Root, who, e.PID)
}

// Lock makes this the only run in the checkout until release is called or the process ends, for
// whatever reason: the kernel holds the lock, and the file only has the pid for the error messages
// of others.
func Lock(root string) (release func() error, err error) {
	if root, err = filepath.Abs(root); err != nil {
		return nil, fmt.Errorf("the project's root: %w", err)
	}
	path := filepath.Join(root, LockFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, unwritable(root, err)
	}
	lock := flock.New(path)
	got, err := lock.TryLock()
	if err != nil {
		return nil, unwritable(root, err)
	}
	if !got {
		_ = lock.Close()
		return nil, &LockError{Root: root, PID: lockHolder(path)}
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
		_ = lock.Unlock()
		return nil, unwritable(root, err)
	}
	return func() error {
		// The file stays: if it were removed, two runs could lock two files of the same name.
		_ = os.Truncate(path, 0)
		if err := lock.Unlock(); err != nil {
			return fmt.Errorf("releasing %s: %w", LockFile, err)
		}
		return nil
	}, nil
}

// lockHolder is the pid in the lock, or 0.
func lockHolder(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// holder is the pid of the process that holds the lock of a checkout, or 0.
func holder(root string) int {
	lock := flock.New(filepath.Join(root, LockFile), flock.SetFlag(os.O_RDONLY))
	defer func() { _ = lock.Close() }()
	if got, err := lock.TryRLock(); err != nil || got {
		return 0
	}
	return lockHolder(filepath.Join(root, LockFile))
}
