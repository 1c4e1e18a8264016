// Package exitstatus has the exit statuses of docs/architecture.md, and errors that carry one from
// their origin to the end of the process.
package exitstatus

import "errors"

// The exit statuses.
const (
	Done         = 0
	Failed       = 1
	Usage        = 2
	Missing      = 3
	Contradicted = 4 // done, but the result contradicts what the command promises
)

// Error is an error with the exit status of the process.
type Error struct {
	Status int
	Err    error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Of returns the status of an error: the one it carries, or Failed.
func Of(err error) int {
	var carried *Error
	switch {
	case err == nil:
		return Done
	case errors.As(err, &carried):
		return carried.Status
	}
	return Failed
}

// WrongUsage marks a wrong flag or argument.
func WrongUsage(err error) error { return &Error{Usage, err} }

// Lacks marks a requirement that is missing on this machine.
func Lacks(err error) error { return &Error{Missing, err} }

// Contradicts marks a result that contradicts what the command promises.
func Contradicts(err error) error { return &Error{Contradicted, err} }
