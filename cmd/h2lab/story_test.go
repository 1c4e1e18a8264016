package main

import (
	"os"
	"reflect"
	"testing"

	"h2lab/internal/base/labtest"

	"github.com/alecthomas/kong"

	"h2lab/internal/lab/plan"
)

func TestTheUsualStoryIsItsFlagsDefaults(t *testing.T) {
	var c storyCmd
	for _, name := range []string{"CONCURRENCY", "LIMIT", "TRIALS", "CPUS", "QUICK", "SEED", "GATEWAY", "DELAY"} {
		t.Setenv(name, "") // registers the restoration
		os.Unsetenv(name)
	}
	parser, err := kong.New(&c)
	labtest.Check(t, err)
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if got := c.knobs(); !reflect.DeepEqual(got, plan.UsualFor(plan.Story)) {
		t.Errorf("flags default to %+v, the usual story is %+v", got, plan.UsualFor(plan.Story))
	}
	if c.Runtime != "auto" || !c.Timeline {
		t.Errorf("%+v", c)
	}
}
