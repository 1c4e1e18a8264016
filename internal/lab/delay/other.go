//go:build !linux

package delay

import (
	"errors"
	"os/exec"
)

// Far is the namespace at the other end of a line, which exists on Linux only.
type Far struct{}

var errLinux = errors.New("a delay line requires Linux: use the lab container (make shell WITH=distance)")

// Entered, Enter, Open, Beside, BesideTo and the methods of Far are those of Linux.
func Entered() bool { return false }

func Enter(...string) error { return errLinux }

func Open(Line) (*Far, error) { return nil, errLinux }

func Beside(Line) (*Far, error) { return nil, errLinux }

func BesideTo(int, Line) (*Far, error) { return nil, errLinux }

func (f *Far) Start(*exec.Cmd) error { return errLinux }

func (f *Far) Set(Line) {}

func (f *Far) Broken() <-chan struct{} { return nil }

func (f *Far) Err() error { return nil }

func (f *Far) Pid() int { return 0 }

func (f *Far) Counts() Counts { return Counts{} }

func (f *Far) Close() {}
