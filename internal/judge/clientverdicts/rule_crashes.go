package clientverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

// crashes holds if the program died in at least one trial: a slow machine doesn't kill a process.
func crashes(f cellFacts) finding {
	return f.faulty("its program ended in the middle of the trial", facts.FaultCrashed, facts.FaultGarbled)
}

// faulty looks for faults of some kinds, in this cell and without the limit.
func (f cellFacts) faulty(what translations.Phrase, kinds ...string) finding {
	n, message := faults(f.Faults, kinds)
	if n == 0 {
		return finding{}
	}
	a := finding{holds: true, reason: f.say(what)}
	if all := f.Trials + len(f.Faults); all > 1 {
		a.reason += f.say(" (%s of %s trials)", count(n), count(all))
	}
	if message != "" {
		a.reason += f.say(": %s", message)
	}
	if f.base != nil {
		if n, _ := faults(f.base.Faults, kinds); n > 0 {
			a.own = true
			a.reason += f.say("; it does so at %s as well, so the limit is not the cause", f.high)
		}
	}
	return a
}

func faults(in []facts.Fault, kinds []string) (n int, message string) {
	for _, fault := range in {
		for _, k := range kinds {
			if fault.Kind != k {
				continue
			}
			if n == 0 {
				message = oneLine(fault.Message)
			}
			n++
		}
	}
	return n, message
}
