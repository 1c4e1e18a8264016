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

// usageError is an unknown argument or a knob out of range.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// missingError is something required that isn't there.
type missingError struct{ error }

func (e missingError) Unwrap() error { return e.error }

// contradiction is a finished run whose verdicts contradict what the command claims to show.
type contradiction struct{ error }

func (e contradiction) Unwrap() error { return e.error }

// childStatus is the exit status of an h2lab inside the pod, which this process returns.
type childStatus int

func (childStatus) Error() string { return "the run inside the pod ended with the error above" }

func statusOf(err error) int {
	var usage usageError
	var missing missingError
	var tool *native.ToolError
	var cert *native.CertificateError
	var contra contradiction
	var child childStatus
	var carried *exitstatus.Error
	switch {
	case errors.As(err, &child):
		return int(child)
	case errors.As(err, &carried):
		return carried.Status
	case errors.As(err, &usage):
		return statusUsage
	case errors.As(err, &missing), errors.As(err, &tool), errors.As(err, &cert):
		return statusMissing
	case errors.As(err, &contra):
		return statusContradicted
	}
	return statusCouldNot
}
