package main

import (
	"errors"
	"fmt"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/lab/native"
)

// The exit statuses, as docs/architecture.md names them.
const (
	statusDone         = exitstatus.Done
	statusCouldNot     = exitstatus.Failed
	statusUsage        = exitstatus.Usage
	statusMissing      = exitstatus.Missing
	statusContradicted = exitstatus.Contradicted // finished, but a verdict contradicts what the command claims
)

func statusOf(err error) int {
	var program relayed
	var tool *native.ToolError
	var cert *native.CertificateError
	switch {
	case errors.As(err, &program):
		return program.status
	case errors.As(err, &tool), errors.As(err, &cert):
		return statusMissing
	}
	return exitstatus.Of(err)
}

// relayed is the exit status of a program that has printed its own error message.
type relayed struct{ status int }

func (r relayed) Error() string { return fmt.Sprintf("a program ended with status %d", r.status) }
