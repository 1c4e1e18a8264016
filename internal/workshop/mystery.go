package workshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/rooted"
)

// The mystery server of exercise 10 runs below a holder process, which stops it on SIGTERM, when
// its life is over, or when the server dies. Other processes find it by a file.

const (
	mysteryFile = "var/mystery.json"
	mysteryDir  = "var/mystery"
	// MysteryLife is how long the server runs when nobody stops it.
	MysteryLife = 30 * time.Minute
	// startTime and stopTime limit the wait for its start and its end. Envoy takes a second or two.
	startTime = 14 * time.Second
	stopTime  = 10 * time.Second
)

// Mystery is the address of the server, without its configuration.
type Mystery struct {
	Version int       `json:"version"`
	URL     string    `json:"url"`
	Addr    string    `json:"addr"`
	Until   time.Time `json:"until"`
	// Boot, PID and Started identify the holder uniquely (internal/base/proc).
	Boot    string `json:"boot"`
	PID     int    `json:"pid"`
	Started uint64 `json:"started"`
}

// FindMystery returns the running server, or nil.
func FindMystery(root string) (*Mystery, error) {
	path := filepath.Join(root, mysteryFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m Mystery
	if err := json.Unmarshal(text, &m); err != nil || m.Version != 1 || m.PID <= 0 {
		return nil, fmt.Errorf("%s can't be read; next: rm %s", mysteryFile, mysteryFile)
	}
	if !m.held() {
		return nil, os.Remove(path)
	}
	return &m, nil
}

func (m *Mystery) held() bool { return m.Boot == proc.BootID() && proc.Same(m.PID, m.Started) }

// StopMystery stops the running server, and reports whether there was one.
func StopMystery(ctx context.Context, root string) (bool, error) {
	m, err := FindMystery(root)
	if err != nil || m == nil {
		return false, err
	}
	// A killed holder ends the server too, but leaves files.
	err = child.Find(m.PID, m.Started, "the mystery server's holder").Stop(ctx, child.Manner{Grace: stopTime})
	return true,
		errors.Join(err, os.RemoveAll(filepath.Join(root, mysteryFile)), os.RemoveAll(filepath.Join(root, mysteryDir)))
}

// StartMystery starts the holder with the command line argv and waits until its server accepts
// connections.
func StartMystery(ctx context.Context, root string, argv []string) (*Mystery, error) {
	if err := os.MkdirAll(filepath.Join(root, mysteryDir), 0o755); err != nil {
		return nil, err
	}
	logName := filepath.Join(root, mysteryDir, "holder.log")
	log, err := os.Create(logName)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	holder, err := child.Start(child.Spec{Argv: argv, Dir: root, Stdout: log, Stderr: log, Outlives: true})
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(startTime); ; {
		m, err := FindMystery(root)
		if m != nil || err != nil {
			return m, err
		}
		select {
		case <-holder.Exited():
			text, _ := os.ReadFile(logName)
			_ = os.RemoveAll(filepath.Join(root, mysteryDir))
			return nil, fmt.Errorf("the mystery server did not start: %s",
				strings.TrimPrefix(lastLine(string(text)), "h2lab: "))
		default:
		}
		if err := await.Pause(ctx, 20*time.Millisecond); err != nil || time.Now().After(until) {
			err = errors.Join(err, holder.Stop(child.Cleanup(ctx), child.Manner{Grace: stopTime}))
			return nil, errors.Join(err, fmt.Errorf("the mystery server was not ready within %v; try again", startTime))
		}
	}
}

// announce writes the file by which other processes find the server.
func (m *Mystery) announce(root string) error {
	started, err := proc.StartTime(os.Getpid())
	if err != nil {
		return err
	}
	m.Version, m.Boot, m.PID, m.Started = 1, proc.BootID(), os.Getpid(), started
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return rooted.WriteFile(filepath.Join(root, mysteryFile), append(text, '\n'))
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
