package load

import (
	"fmt"

	"h2lab/internal/facts"
)

// ProgramError says that the client program itself failed, and not its requests
// or something around it. Where clients are what is measured, it is a result.
type ProgramError struct{ facts.Fault }

func (e *ProgramError) Error() string { return e.Message }

// fault makes a ProgramError of one of lab's kinds.
func fault(kind, format string, args ...any) error {
	return &ProgramError{facts.Fault{Kind: kind, Message: fmt.Errorf(format, args...).Error()}}
}
