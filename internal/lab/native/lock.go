package native

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// LockFile keeps a second run in the same checkout from a first, relative to the root.
const LockFile = "var/lock"

// LockError says that another run has the lock.
type LockError struct {
	File string
	PID  int // 0 when it hasn't written it yet
}

func (e *LockError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("another h2lab has just started in this checkout (%s); try again when it is done", e.File)
	}
	return fmt.Sprintf("another h2lab (pid %d) is running in this checkout (%s); wait for it, or stop it with: kill -INT %d", e.PID, e.File, e.PID)
}

// Lock makes this the only run in the checkout until release is called or the
// process ends, however it ends: the kernel keeps the lock, the file only
// holds our pid for the others to name.
func Lock(root string) (release func() error, err error) {
	path := filepath.Join(root, LockFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("a place for the lock: %w", err)
	}
	lock := flock.New(path)
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", LockFile, err)
	}
	if !got {
		_ = lock.Close()
		return nil, &LockError{File: LockFile, PID: lockHolder(path)}
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
		_ = lock.Unlock()
		return nil, fmt.Errorf("writing our pid into the lock: %w", err)
	}
	return func() error {
		// The file stays: removing it would let two runs lock two files of one name.
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
