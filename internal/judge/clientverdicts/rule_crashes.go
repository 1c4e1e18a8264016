package clientverdicts

import (
	"h2lab/internal/facts"
)

// crashes holds if the program died in at least one trial: a slow machine doesn't kill a process.
func crashes(f cellFacts) finding {
	return f.faulty(facts.T("clientverdict.program-ended-middle-trial"), facts.FaultCrashed, facts.FaultGarbled)
}

// faulty looks for faults of some kinds, in this cell and without the limit.
func (f cellFacts) faulty(what facts.Text, kinds ...string) finding {
	n, message := faults(f.Faults, kinds)
	if n == 0 {
		return finding{}
	}
	a := finding{holds: true, reason: what}
	if all := f.Trials + len(f.Faults); all > 1 {
		a.reason.Add(facts.T("clientverdict.trials", count(n), count(all)))
	}
	if message != "" {
		a.reason.Add(facts.T("verdict.because", message))
	}
	if f.base != nil {
		if n, _ := faults(f.base.Faults, kinds); n > 0 {
			a.own = true
			a.reason.Add(facts.T("clientverdict.does-so-as-well", f.high))
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
