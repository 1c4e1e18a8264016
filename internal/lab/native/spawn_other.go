//go:build !linux

package native

import (
	"errors"
	"os/exec"
)

var errNoCgroups = errors.New("cgroups require Linux")

func startInV2(*exec.Cmd, string) error { return errNoCgroups }

func threadID() int { return 0 }

func mayWrite(string) error { return errNoCgroups }
