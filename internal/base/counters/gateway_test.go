package counters

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func TestAGatewayThatDoesNotCountIsAnErrorAndNotZero(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Programs)
	for _, x := range []struct{ name, body string }{
		{"lack a number", `{"accepted":1,"used":1}`},
		{"are null", `{"accepted":null,"used":1,"requests":1}`},
		{"are negative", `{"accepted":-1,"used":1,"requests":1}`},
		{"are text", `{"accepted":"1","used":1,"requests":1}`},
		{"are fractions", `{"accepted":1.5,"used":1,"requests":1}`},
		{"are larger than a counter can be", `{"accepted":99999999999999999999,"used":1,"requests":1}`},
		{"are followed by something else", `{"accepted":1,"used":1,"requests":1} and more`},
		{"are a list", `[1,2,3]`},
	} {
		faults.Try("the gateway's counters "+x.name, func(t *testing.T) {
			src := open(t, "", facts.Server{Name: "scg", Kind: facts.Gateway, Counters: page(t, 200, x.body)})
			if o, err := src.Observe(t.Context()); err == nil || !strings.Contains(err.Error(), "scg") ||
				!strings.Contains(err.Error(), "curl") {
				t.Errorf("%s: %v, error %v", x.body, numbers(o), err)
			}
		})
	}
}

func TestAGatewaysTimelineHasItsOwnNames(t *testing.T) {
	src := open(t, "", facts.Server{Name: "scg", Kind: facts.Gateway, Counters: "127.0.0.1:1"})
	if got := columnNames(src); got["accepted"] != "accepted" || got["requests"] != "requests" {
		t.Errorf("%v", got)
	}
	if _, paired := src.(twin); !paired {
		t.Error("the timeline would share the connection of the snapshots")
	}
}
