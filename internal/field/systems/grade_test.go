package systems

import (
	"testing"

	"h2lab/internal/field/cause"
)

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

func TestAChangeOfTheServerDoesNotMendABalancersTimeOut(t *testing.T) {
	w := truth{Cause: causeNone, Idle: 2, Cut: true, Families: []string{"nginx"}}
	a := answer{Kind: cause.None, UpTo: 9, Family: "nginx", Sure: "likely", Idle: seconds(2),
		Changes: []string{"nginx: keepalive_timeout 75s;"}}
	if got := gradeAll(w, a); got != wrongSure {
		t.Errorf("graded %q", got)
	}
	if w.Cut = false; gradeAll(w, a) != right {
		t.Errorf("the server's own time-out is graded %q", gradeAll(w, a))
	}
}

// An idle time-out that is shorter than the probe's pauses looks like an end in use.
func TestAShortIdleTimeOut(t *testing.T) {
	short := answer{Kind: cause.Idle, Seconds: 0.06, Family: "nginx", Sure: "likely", Changes: []string{"nginx: keepalive_timeout 75s;"}}
	for _, c := range []struct {
		truth truth
		want  grade
	}{
		{truth{Cause: causeNone, Idle: 0.05}, right},
		{truth{Cause: causeNone, Idle: 0.5}, wrongSure},
		{truth{Cause: causeNone}, wrongSure},
		{truth{Cause: causeCount, Requests: 1000}, wrongSure},
	} {
		if c.truth.Families = []string{"nginx"}; gradeAll(c.truth, short) != c.want {
			t.Errorf("%+v: graded %q, want %q", c.truth, gradeAll(c.truth, short), c.want)
		}
	}
}
