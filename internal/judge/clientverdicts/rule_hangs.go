package clientverdicts

import (
	"fmt"

	"h2lab/internal/facts"
)

// fewestHung: a call is hung when it has no answer within the patience of some
// seconds, where an answer takes milliseconds. No noise of a machine that lets
// the other calls through does that, so one is enough.
const fewestHung = 1

func hangs(f cellFacts) finding {
	if a := f.faulty("its program never came to an end", facts.FaultSilent); a.holds {
		return a
	}
	n := value(f.Hung)
	if n == 0 {
		return finding{}
	}
	extra := f.beyond(n, func(b *Figures) int64 { return value(b.Hung) })
	if extra < fewestHung {
		return finding{own: true, note: fmt.Sprintf("%s never settled; as many don't at %s, so it is not the limit's doing", things(n, "call"), f.high)}
	}
	a := finding{holds: true, reason: fmt.Sprintf("%s never settled (%s in 1,000)", things(n, "call"), rate(n, f.Attempts))}
	if n <= 2*fewestHung {
		a.near = fmt.Sprintf("only %s: another run may have none", things(n, "hung call"))
	}
	return a
}
