package main

import (
	"errors"

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

// childStatus is the exit status of an h2lab inside the pod, which this process returns.
type childStatus int

func (childStatus) Error() string { return "the run inside the pod ended with the error above" }

func statusOf(err error) int {
	var child childStatus
	var carried *exitstatus.Error
	var tool *native.ToolError
	var cert *native.CertificateError
	switch {
	case errors.As(err, &child):
		return int(child)
	case errors.As(err, &carried):
		return carried.Status
	case errors.As(err, &tool), errors.As(err, &cert):
		return statusMissing
	}
	return statusCouldNot
}
