package systems

import (
	"regexp"
	"slices"

	"h2lab/internal/field/cause"
	"h2lab/internal/field/family"
)

// answer is what h2lab probe said of a system, in short.
type answer struct {
	Kind       string   `json:"kind"`
	Fits       []string `json:"fits"`      // causes that an unclear answer leaves open
	Least      int      `json:"least"`     // requests, where the kind is a count
	Most       int      `json:"most"`      //
	Seconds    float64  `json:"seconds"`   // where the kind is an age
	Each       []int    `json:"each"`      // where several servers answer
	UpTo       int      `json:"up_to"`     // requests that a connection got without an end
	WatchedS   float64  `json:"watched_s"` // seconds that a connection got without an end
	Busy       bool     `json:"busy"`      // it stopped at an answer 429 or 503
	MayHaveRun int      `json:"may_have_run"`
	Idle       *float64 `json:"idle"`
	Limit      string   `json:"limit"` // the sentence
	Family     string   `json:"family"`
	Sure       string   `json:"sure"`
	Among      []string `json:"among"`   // families that the answer names together
	Changes    []string `json:"changes"` // "product: lines"
}

// grade is an answer measured by the truth.
type grade string

const (
	right     grade = "right"
	unknown   grade = "unknown"
	unsure    grade = "wrong, unsure"
	wrongSure grade = "wrong and sure"
)

var grades = []grade{right, unknown, unsure, wrongSure}

// worst is the worst of several grades.
func worst(all ...grade) grade {
	out := right
	for _, g := range all {
		if slices.Index(grades, g) > slices.Index(grades, out) {
			out = g
		}
	}
	return out
}

// gradeCause compares the cause and its numbers. A kind that is stated is sure; "unclear" with the
// causes that still fit is not.
func gradeCause(w truth, a answer) grade {
	switch a.Kind {
	case cause.Unclear:
		if len(a.Fits) == 0 || w.Cause == causeNone && w.Idle > 0 && slices.Contains(a.Fits, cause.Idle) || slices.Contains(a.Fits, w.Cause) || w.irregular() {
			return unknown
		}
		return unsure
	case cause.Neither:
		switch w.Cause {
		case causeChance, causeReload, causeBytes:
			return right
		case causeFleet, causeAge, causeCrash:
			return unknown
		}
		return unsure
	case cause.None:
		return gradeNone(w, a)
	case cause.Several: // "connections differ", which is true of irregular ends too
		if w.Cause != causeFleet && w.irregular() && len(a.Changes) == 0 {
			return unsure
		}
	case cause.Failure: // true of a server that fails: Tomcat sometimes sends COMPRESSION_ERROR (dotnet/runtime#132707)
		if w.Cause != causeCalm && len(a.Changes) == 0 {
			return unsure
		}
	case cause.Count: // "request N gets no answer", which is true of equal answers up to a number of bytes too
		if w.Cause == causeBytes && a.MayHaveRun > 0 && len(a.Changes) == 0 {
			return unsure
		}
	}
	if stated(w, a) {
		return right
	}
	return wrongSure
}

// irregular reports whether ends have no single number: what is left open proves nothing then.
func (w truth) irregular() bool {
	return slices.Contains([]string{causeChance, causeReload, causeBytes, causeFleet}, w.Cause)
}

// gradeNone grades "no limit met", which is true as far as the probe went.
func gradeNone(w truth, a answer) grade {
	if a.UpTo == 0 {
		return unknown // nothing was asked
	}
	switch w.Cause {
	case causeNone:
		return right
	case causeBusy:
		if a.Busy {
			return right
		}
	case causeCount:
		if a.UpTo < w.Requests {
			return right
		}
	case causeAge:
		if a.WatchedS < w.Seconds {
			return unknown
		}
	case causeReload: // none may have come while it was asked
		return unknown
	}
	return wrongSure
}

// stated reports whether a stated kind and its numbers are the truth.
func stated(w truth, a answer) bool {
	switch w.Cause {
	case causeCount:
		exact := !w.Exact || a.Least == a.Most
		return a.Kind == cause.Count && a.Least <= w.Requests && w.Requests <= a.Most && exact
	case causeCrash:
		return a.Kind == cause.Count && a.Most == w.Requests && a.MayHaveRun > 0
	case causeAge:
		const early, late = 0.15, 1.3 // gRPC changes ages by a tenth; nginx and others look once a second
		return a.Kind == cause.Age && a.Seconds > w.Seconds-early*w.Seconds-0.1 && a.Seconds < w.Seconds*1.1+late
	case causeFleet:
		strange := func(n int) bool { return !slices.Contains(w.Each, n) }
		return a.Kind == cause.Several && len(a.Each) > 0 && !slices.ContainsFunc(a.Each, strange)
	case causeCalm:
		return a.Kind == cause.Failure
	case causeNone: // an idle time-out that is shorter than the probe's pauses
		return w.Idle > 0 && a.Kind == cause.Idle && a.Seconds > 0.8*w.Idle && a.Seconds < 2*w.Idle+0.1
	}
	return false
}

// gradeFamily compares the family. Naming look-alikes together is right where the true one is among
// them.
func gradeFamily(w truth, a answer) grade {
	isTrue := func(id string) bool { return slices.Contains(w.Families, id) }
	switch {
	case slices.Equal(w.Families, []string{familyNone}) && a.Family == "": // a server of this test alone
		return right
	case a.Family == "" && len(a.Among) == 0 || a.Sure == family.Unknown:
		return unknown
	case isTrue(a.Family) && (len(a.Among) < 2 || slices.ContainsFunc(a.Among, isTrue)):
		return right
	case slices.ContainsFunc(a.Among, isTrue) && a.Sure != family.Certain:
		return right
	case a.Sure == family.Possible:
		return unsure
	}
	return wrongSure
}

// gradeIdle compares the time after which an unused connection ended, where it was asked.
func gradeIdle(w truth, a answer) grade {
	switch {
	case w.Idle == 0 || a.Idle == nil:
		return right
	case *a.Idle > w.Idle-0.5 && *a.Idle < w.Idle+1.5:
		return right
	}
	return wrongSure
}

// settings are the directives and options of internal/field/cure, by the cause that they set.
var settings = map[string]*regexp.Regexp{
	causeCount: regexp.MustCompile(`(?i)keepalive_requests|keep-alive-requests|max_?-?requests|maxNumRequests|max-total-streams|` +
		`MaxKeepAliveRequests|max-keep-alive-requests`),
	causeAge: regexp.MustCompile(`(?i)keepalive_time |max_connection_duration|connection_?Age|keepAliveMaxTime|` +
		`active_timeout`),
	causeIdle: regexp.MustCompile(`(?i)keepalive_timeout|idle|timeout http-keep-alive|KeepAliveTimeout|read-timeout`),
	// Both a count and chance are set in a program's own code.
	causeChance: regexp.MustCompile(`goaway-chance|"Connection", "close"|keepAliveMaxRequests`),
}

// fits reports whether a change is about the truth's cause.
func (w truth) fits(change string) bool {
	is := func(what string) bool { return settings[what].MatchString(change) }
	idle := w.Idle > 0 && !w.Cut && is(causeIdle)
	switch w.Cause {
	case causeCount, causeFleet:
		return is(causeCount) || is(causeChance) || idle
	case causeAge, causeChance:
		return is(w.Cause)
	}
	return idle
}

// gradeChange compares what the answer would change: every change is about the truth's cause.
func gradeChange(w truth, a answer) grade {
	for _, c := range a.Changes {
		if !w.fits(c) {
			return wrongSure
		}
	}
	return right
}

// gradeAll is the worst of all.
func gradeAll(w truth, a answer) grade {
	return worst(gradeCause(w, a), gradeFamily(w, a), gradeIdle(w, a), gradeChange(w, a))
}
