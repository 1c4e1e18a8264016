package load

import (
	"fmt"

	"h2lab/internal/facts"
)

// ProgramError says that the client program itself failed, and not its requests
// or something around it. Where clients are what is measured, it is a result.
type ProgramError struct{ facts.Fault }

func (e *ProgramError) Error() string { return e.Message }

// fault makes a ProgramError of one of facts' kinds. What the machine did not
// give to a program is no fault of the program's.
func fault(kind, format string, args ...any) error {
	message := fmt.Errorf(format, args...).Error()
	if kind != facts.FaultGarbled && ownLack.MatchString(message) {
		kind = facts.FaultStarved
	}
	return &ProgramError{facts.Fault{Kind: kind, Message: message}}
}
