// Package runs carries out what repro, fixed, matrix, clients and story measure, and what up and down start and
// stop: it makes the machine ready, starts the servers natively or under Docker, conducts the run and
// writes its results.json. It draws nothing: reports are made from the run's directory afterwards.
package runs

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/native"
)

// Lab is one checkout with the place for its runs, and where its messages go.
type Lab struct {
	Root string // the checkout
	// Results is the directory of runs; Own is whether it is results/ of the checkout, the only one
	// that the pod writes to.
	Results string
	Own     bool
	// Messages is for the user; what comes from other programs in it is escaped. Stdout and Stderr are
	// what programs in the foreground get: this process's own, where they are files.
	Messages       io.Writer
	Stdout, Stderr io.Writer
	Progress       func(conduct.Step)
	// Shown is the checkout's path as the user should read it; empty where the user is in the checkout.
	Shown string
	// Order is what the h2lab on the host ordered; nil outside the pod.
	Order *Order
	// Language is that of the summary that the h2lab in the pod prints.
	Language string
	// System is the operating system, as runtime.GOOS has it; empty is this one.
	System string
}

// system is the operating system that the lab runs on.
func (l *Lab) system() string { return cmp.Or(l.System, runtime.GOOS) }

// message prints a line for the user.
func (l *Lab) message(format string, args ...any) { fmt.Fprintf(l.Messages, format+"\n", args...) }

// CAFile is the certificate that clients of this checkout's servers trust.
func CAFile(root string) string { return filepath.Join(root, "certs", "out", "ca.crt") }

// stateFile records what `up` started, for `down` and for messages about a port that is taken.
func (l *Lab) stateFile() string { return filepath.Join(l.Root, native.StateFile) }
