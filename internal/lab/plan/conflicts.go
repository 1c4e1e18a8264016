package plan

import (
	"fmt"
	"strconv"
)

// Given are the knobs that a user set, by the names of their variables, without those at their
// default.
type Given map[string]string

// pair is two knobs of which the first makes the second meaningless.
type pair struct {
	name   string
	holds  func(value string) bool
	second []string
	unless string // the value of the second that agrees with the first
	why    string
}

func get(v string) bool { return v == "GET" }

func yes(v string) bool { on, err := strconv.ParseBool(v); return err == nil && on }

func no(v string) bool { on, err := strconv.ParseBool(v); return err == nil && !on }

var pairs = []pair{
	{"QUICK", yes, []string{"TRIALS", "DURATION"}, "", "a quick run has one trial of 3 s"},
	{"METHOD", get, []string{"BODY"}, "0", "a GET request has no body"},
	{"SERVE", no, []string{"ROUNDS", "SPEED"}, "", "nothing is played"},
}

// Conflict names the first two knobs that a user set and that contradict each other. Ignoring one
// of them would run something other than what the user asked for.
func (g Given) Conflict() error {
	for _, p := range pairs {
		value, ok := g[p.name]
		if !ok || !p.holds(value) {
			continue
		}
		for _, second := range p.second {
			if other, ok := g[second]; ok && other != p.unless {
				return fmt.Errorf("%s=%s and %s=%s contradict each other: %s; leave one of them out",
					p.name, value, second, other, p.why)
			}
		}
	}
	return nil
}
