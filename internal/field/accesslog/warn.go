package accesslog

import (
	"fmt"

	"h2lab/internal/base/numfmt"
)

const fewMissing = 0.01

// warn adds warnings about what may make the result wrong.
func (r *reading) warn() {
	o, c := &r.out, r.count
	add := func(format string, args ...any) { o.Warnings = append(o.Warnings, fmt.Sprintf(format, args...)) }
	switch {
	case o.MixedServers:
		add("lines of several servers are mixed: different connections have the same number. Read each server's log " +
			"by itself, or add $hostname to the log_format")
	case o.Exactness.WrittenTwice > inARow*o.Restarts: // a restart leaves a few such connections
		add("%s more lines than requests: two access_log to one file, log_subrequest, or lines of several servers",
			have(o.Exactness.WrittenTwice, "has", "have"))
	}
	if missing := float64(o.Exactness.NotLogged); c.ordinal && missing > fewMissing*(float64(o.Requests)+missing) {
		add("%s of connections in this log have no line in it (another access_log, access_log off, or if=); a "+
			"connection counts as empty if none of its requests has a line",
			numfmt.Things(o.Exactness.NotLogged, "request"))
	}
	if o.Exactness.StandTwice > 0 || !c.ordinal {
		add("%s", o.Exactness.Note)
	}
	if o.Exactness.LateLines > 0 {
		add("%s came too late to be counted in their minute", numfmt.Things(o.Exactness.LateLines, "line"))
	}
	if !c.timed {
		add("the lines have no time, so rates are unknown and all connections may be open")
	}
	if o.Warnings == nil {
		o.Warnings = []string{}
	}
}

// have formats a number of connections with the matching verb.
func have(n uint64, one, several string) string {
	if n == 1 {
		return "1 connection " + one
	}
	return numfmt.Things(n, "connection") + " " + several
}
