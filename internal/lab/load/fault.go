package load

import (
	"fmt"

	"h2lab/internal/facts"
)

// ProgramError means that the client program itself failed, not its requests or its environment.
// For the client matrix this is a result.
type ProgramError struct{ facts.Fault }

func (e *ProgramError) Error() string { return e.Message }

// fault makes a ProgramError of one of facts' kinds. A resource that the machine lacks is not the
// program's fault.
func fault(kind, format string, args ...any) error {
	message := fmt.Errorf(format, args...).Error()
	if kind != facts.FaultGarbled && ownLack.MatchString(message) {
		kind = facts.FaultStarved
	}
	return &ProgramError{facts.Fault{Kind: kind, Message: message}}
}
