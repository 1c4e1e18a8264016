package family

import (
	"fmt"
	"slices"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

func unclearText(e facts.Endpoint, c cause.Cause) string {
	switch len(c.Ends) {
	case 0:
		if e.Budget.Stopped != "" {
			return noneMet(e, c)
		}
		return "The probe did not ask for a limit."
	case 1:
		if beforeRequest(c) > 0 && isH2(e) {
			break
		}
		if slices.Contains(c.Fits, cause.Idle) {
			return fmt.Sprintf("One connection ended when it was unused for %s, after %s. An idle time-out fits, but one is not enough "+
				"to prove it.", unusedFor(c), counts(c.Ends))
		}
		s := fmt.Sprintf("One connection ended after %s, at an age of %s. ", counts(c.Ends), seconds(c.Ends[0].Seconds))
		if failed(e) {
			return s + "No other one could be asked: a server that is shutting down looks like this too."
		}
		return s + "One is not enough to tell a request limit from an age."
	}
	if called := calledUnused(e); called > 0 {
		return fmt.Sprintf("Unclear: the server ended %s as unused, after %s, at ages of %s: it does not count these requests "+
			"as use, or pauses between them are too long.", connections(called), counts(c.Ends), ageList(c.Ends))
	}
	switch n := beforeRequest(c); {
	case n == len(c.Ends) && isH2(e):
		return fmt.Sprintf("The server ended %s before a request: it may be shutting down.", connections(n))
	case n > 0 && isH2(e):
		return fmt.Sprintf("Unclear: the server ended %d of %s, some before a request: it may be shutting down.",
			len(c.Ends), connections(len(e.Asked)))
	case slices.Contains(c.Fits, cause.Idle):
		return fmt.Sprintf("Unclear: %s ended when they were unused for %s, after %s. An idle time-out fits, but is not proven.",
			connections(len(c.Unused)), unusedFor(c), counts(c.Ends))
	case shared(c):
		return sharedText(c)
	}
	s := fmt.Sprintf("Unclear: connections ended after %s, at ages of %s", counts(c.Ends), ageList(c.Ends))
	switch {
	case len(c.Fits) > 1:
		return s + ". Both a request limit and an age fit."
	case slices.Contains(c.Fits, cause.Age):
		return s + ". An age fits, but is not proven: restarts at intervals look like this too."
	}
	return s + ". A request limit fits, but is not proven: a server that counts the requests of all connections together " +
		"looks like this too."
}

// beforeRequest counts the connections that ended before a request.
func beforeRequest(c cause.Cause) int {
	n := 0
	for _, e := range c.Ends {
		if e.Requests == 0 {
			n++
		}
	}
	return n
}

// failureText names the error codes and what the connections had got.
func failureText(e facts.Endpoint, c cause.Cause) string {
	var failed []cause.End
	for _, end := range c.Ends {
		if end.Error {
			failed = append(failed, end)
		}
	}
	var codes []string
	for _, a := range e.Asked {
		for _, g := range a.Goaways {
			if code := plain(g.Code); a.How == facts.EndedByError && g.Code != "NO_ERROR" && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return fmt.Sprintf("No request limit: the server ended %d of %s with an error (%s), after %s, at ages of %s.", len(failed),
		connections(len(e.Asked)), and(codes), counts(failed), ageList(failed))
}

// shared reports whether connections after the first got one request at most: they share something that the first used up.
func shared(c cause.Cause) bool {
	const enough, many = 4, 20
	return len(c.Ends) >= enough && c.Ends[0].Least >= many &&
		!slices.ContainsFunc(c.Ends[1:], func(e cause.End) bool { return e.Requests > 1 })
}

func sharedText(c cause.Cause) string {
	return fmt.Sprintf("Unclear: one connection ended after %s, and the %d after it at their first request. A limit that all "+
		"connections of a client share looks like this, and so does a server that is shutting down.", counts(c.Ends[:1]), len(c.Ends)-1)
}

// unusedFor is how long connections were unused when they ended: "0.05 s", "0.05 to 0.09 s".
func unusedFor(c cause.Cause) string {
	least, most := c.Unused[0].Seconds, c.Unused[0].Seconds
	for _, e := range c.Unused {
		least, most = min(least, e.Seconds), max(most, e.Seconds)
	}
	if from, to := fmt.Sprintf("%.2g", least), fmt.Sprintf("%.2g", most); from != to {
		return from + " to " + to + " s"
	}
	return fmt.Sprintf("%.2g s", least)
}

// someUnused reports whether the server ended a connection that had carried nothing for a while, and that was asked for a limit.
func someUnused(e facts.Endpoint) bool {
	return slices.ContainsFunc(e.Asked, func(a facts.AskedConnection) bool {
		return a.For != facts.ForIdle && a.How != "" && a.UnusedMS != nil && *a.UnusedMS >= 1000*cause.LeastUnusedS
	})
}

// failed reports whether an error ended the survey early.
func failed(e facts.Endpoint) bool {
	return slices.ContainsFunc(e.Warnings, func(n facts.Note) bool {
		code, _, ok := n.Read()
		return ok && code == notes.Error
	})
}
