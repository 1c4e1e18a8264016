package systems

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/field/cause"
	"h2lab/internal/field/family"
	"h2lab/internal/field/probe/document"
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

// answerOf shortens a document of h2lab probe --json.
func answerOf(d document.Document) answer {
	e, v := d.Endpoint, d.Verdict
	a := answer{Kind: v.Cause.Kind, Fits: v.Cause.Fits, Each: []int{}, WatchedS: v.Cause.WatchedS, Limit: v.Limit.String(),
		UpTo: max(v.Cause.MostRequests, e.Budget.AskedUpTo), Family: v.Family, Sure: v.Sure, Among: v.Among,
		Changes: []string{}, Busy: e.Statuses["429"]+e.Statuses["503"] > 0 && !e.Budget.Stopped.IsZero()}
	if n := v.Cause.Requests; n != nil {
		a.Least, a.Most = *n, *n
	}
	if least, most := v.Cause.LeastS, v.Cause.MostS; least != nil && most != nil {
		a.Seconds = (*least + *most) / 2
	}
	if a.Kind == cause.Several {
		for _, g := range v.Cause.Groups {
			a.Each = append(a.Each, g.Requests)
		}
		slices.Sort(a.Each)
	}
	for _, c := range v.Changes {
		a.Changes = append(a.Changes, c.For.String()+": "+strings.Join(strings.Fields(c.Line.String()), " "))
	}
	if e.Idle != nil && e.Idle.Seconds != nil {
		seconds := math.Round(*e.Idle.Seconds)
		a.Idle = &seconds
	}
	for _, c := range e.Asked {
		a.MayHaveRun = max(a.MayHaveRun, c.MayHaveRun)
	}
	return a
}

func seconds(s float64) *float64 { return &s }

// Each answer has one thing that makes its grade.
func TestGrades(t *testing.T) {
	nginx := []string{"nginx"}
	limit := truth{Cause: causeCount, Requests: 1000, Exact: true, Families: nginx}
	age := truth{Cause: causeAge, Seconds: 5, Families: nginx}
	fleet := truth{Cause: causeFleet, Each: []int{100, 0}, Families: nginx}
	crash := truth{Cause: causeCrash, Requests: 300, Families: []string{"node"}}
	chance := truth{Cause: causeChance, Families: []string{"go"}}
	counted := func(least, most int) answer {
		return answer{Kind: cause.Count, Least: least, Most: most, Family: "nginx", Sure: "certain"}
	}
	for name, c := range map[string]struct {
		truth  truth
		answer answer
		want   grade
	}{
		"the number":                           {limit, counted(1000, 1000), right},
		"a range where the number is exact":    {limit, counted(990, 1010), wrongSure},
		"another number":                       {limit, counted(999, 999), wrongSure},
		"a count where time is the cause":      {age, counted(1010, 1010), wrongSure},
		"none met below the limit":             {limit, answer{Kind: cause.None, UpTo: 999}, unknown},
		"none met beyond the limit":            {limit, answer{Kind: cause.None, UpTo: 20000}, wrongSure},
		"none met, and nothing asked":          {truth{Cause: causeNone, Families: nginx}, answer{Kind: cause.None}, unknown},
		"none met before the age":              {age, answer{Kind: cause.None, UpTo: 9, WatchedS: 4}, unknown},
		"none met past the age":                {age, answer{Kind: cause.None, UpTo: 9, WatchedS: 7}, wrongSure},
		"the age, a little late":               {age, answer{Kind: cause.Age, Seconds: 5.6, Family: "nginx", Sure: "certain"}, right},
		"half the age":                         {age, answer{Kind: cause.Age, Seconds: 2.5}, wrongSure},
		"unclear, and the truth fits":          {age, answer{Kind: cause.Unclear, Fits: []string{causeAge, causeCount}}, unknown},
		"unclear, and the truth is left out":   {age, answer{Kind: cause.Unclear, Fits: []string{causeCount}}, unsure},
		"no single limit for a count":          {limit, answer{Kind: cause.Neither}, unsure},
		"one limit for a fleet":                {fleet, counted(100, 100), wrongSure},
		"two limits of a fleet":                {fleet, answer{Kind: cause.Several, Each: []int{100}, Family: "nginx", Sure: "likely"}, right},
		"a limit that no server has":           {fleet, answer{Kind: cause.Several, Each: []int{100, 150}}, wrongSure},
		"none met for a fleet":                 {fleet, answer{Kind: cause.None, UpTo: 20000}, wrongSure},
		"a count that hides what may have run": {crash, counted(300, 300), wrongSure},
		"a request that may have run": {crash, answer{Kind: cause.Count, Most: 300, Least: 300, MayHaveRun: 1,
			Family: "node", Sure: "likely"}, right},
		"another family, certainly": {limit, answer{Kind: cause.Count, Least: 1000, Most: 1000, Family: "envoy",
			Sure: "certain"}, wrongSure},
		"another family, possibly": {limit, answer{Kind: cause.Count, Least: 1000, Most: 1000, Family: "envoy",
			Sure: "possible"}, unsure},
		"no family where there is none": {truth{Cause: causeNone, Families: []string{familyNone}},
			answer{Kind: cause.None, UpTo: 9}, right},
		"a family where there is none": {truth{Cause: causeNone, Families: []string{familyNone}},
			answer{Kind: cause.None, UpTo: 9, Family: "nginx", Sure: "likely"}, wrongSure},
		"the family among look-alikes": {limit, answer{Kind: cause.Count, Least: 1000, Most: 1000, Family: "envoy",
			Sure: "possible", Among: []string{"envoy", "nginx"}}, right},
		"a request limit against an age": {age, answer{Kind: cause.Age, Seconds: 5, Family: "nginx", Sure: "certain",
			Changes: []string{"nginx: keepalive_requests 100000;"}}, wrongSure},
		"the age's own setting": {age, answer{Kind: cause.Age, Seconds: 5, Family: "nginx", Sure: "certain",
			Changes: []string{"nginx: keepalive_time 1h;"}}, right},
		"chance": {chance, answer{Kind: cause.Neither, Family: "go", Sure: "likely",
			Changes: []string{"kube-apiserver: --goaway-chance=0"}}, right},
		"an idle time that is not": {truth{Cause: causeNone, Idle: 3, Families: nginx}, answer{Kind: cause.None, UpTo: 9,
			Family: "nginx", Sure: "likely", Idle: seconds(6)}, wrongSure},
	} {
		if got := gradeAll(c.truth, c.answer); got != c.want {
			t.Errorf("%s: graded %q, want %q", name, got, c.want)
		}
	}
}

func TestGradesOfIdleTimeOuts(t *testing.T) {
	nginx := []string{"nginx"}
	mend := []string{"nginx: keepalive_timeout 75s;"}
	idle := answer{Kind: cause.None, UpTo: 9, Family: "nginx", Sure: "likely", Idle: seconds(2), Changes: mend}
	short := answer{Kind: cause.Idle, Seconds: 0.06, Family: "nginx", Sure: "likely", Changes: mend}
	for name, c := range map[string]struct {
		truth  truth
		answer answer
		want   grade
	}{
		"a change of the server for a balancer's time-out": {truth{Cause: causeNone, Idle: 2, Cut: true, Families: nginx}, idle, wrongSure},
		"a change for the server's own time-out":           {truth{Cause: causeNone, Idle: 2, Families: nginx}, idle, right},
		// One that is shorter than the probe's pauses looks like an end in use.
		"a short idle time-out":                   {truth{Cause: causeNone, Idle: 0.05, Families: nginx}, short, right},
		"another idle time-out":                   {truth{Cause: causeNone, Idle: 0.5, Families: nginx}, short, wrongSure},
		"an idle time-out where there is none":    {truth{Cause: causeNone, Families: nginx}, short, wrongSure},
		"an idle time-out where a count ends all": {truth{Cause: causeCount, Requests: 1000, Families: nginx}, short, wrongSure},
	} {
		if got := gradeAll(c.truth, c.answer); got != c.want {
			t.Errorf("%s: graded %q, want %q", name, got, c.want)
		}
	}
}
